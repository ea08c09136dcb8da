// One system is truly better: how many test sets of this size are significant, and how large their difference looks.
SCENES.power = (main, body, stage) => {
  const left = make('div', 'column'), side = make('div', 'column'), strip = make('div', 'strip')
  left.style.flex = '0.8'
  knobs(left, stage, [[body.points, `points of ${body.metric} truly better`, x => fixed(x)],
    [body.sizes, 'sentences in each test set', x => x.toLocaleString('en')]])
  const ruler = new Scale(left, 'significant test sets, of 100')
  ruler.box.style.marginTop = 'auto'
  const count = make('span', 'big counted', '\u2013'), size = make('span', 'big counted', '\u2013'), countSaid = make('div', '', `significant at ${body.alpha}`)
  side.append(make('div', 'facts', '', make('div', '', '', count, countSaid), make('div', '', '', size, make('div', '', 'their mean size, in points'))), strip)
  main.append(left, side)
  let plot = null, rows = null
  const drop = (from, to) => {
    rows = stage.rows
    plot.add(rows.differences.slice(from, to), rows.found.slice(from, to).map(found => found ? 'red' : 'rest'))
    count.textContent = `${rows.found.slice(0, to).filter(Boolean).length} of ${to}`
    size.textContent = rows.sizes[to - 1] === null ? '\u2013' : fixed(rows.sizes[to - 1])
  }
  return {
    begin(given) {
      rows = given
      if (plot) return
      ruler.draw(stage)
      plot = new Dots(strip, 'difference on each test set; orange: significant', rows.axis)
      plot.mark({at: 0, dashed: true, row: 2})
      plot.mark({at: rows.true, text: `truly ${fixed(rows.true)}`})
    },
    one(i, done) { drop(i, i + 1); setTimeout(done, 200) },
    many: drop,
    trace() {},
    show(end) {
      ruler.draw(stage, end.of_hundred, `significant ${end.truth}`)
      const [share, interval] = end.share.split(/ (?=\()/)
      count.textContent = share
      countSaid.textContent = `of ${stage.step} significant ${interval}`
      plot.marks.length = 2
      if (end.mean !== null) plot.mark({at: end.mean, text: `their mean size ${fixed(end.mean)}`, color: 'red', row: 1})
    },
  }
}
