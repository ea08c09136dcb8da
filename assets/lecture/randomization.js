// A coin for each sentence: heads, and the two outputs trade places; the difference of the shuffled sides falls as a dot.
SCENES.randomization = (main, body, stage) => {
  const table = make('div', 'column'), side = make('div', 'column')
  table.style.gap = '0'
  table.style.flex = '0 0 68%'  // sentences are read to their end
  const head = make('div', 'row', '', make('span', 'coin'), make('b', 'text a', body.names[0]), make('b', 'text b', body.names[1]))
  head.firstChild.style.visibility = 'hidden'
  const lines = body.outputs.map(([left, right]) => {
    const line = {coin: make('span', 'coin'), left: make('span', 'text a', left), right: make('span', 'text b', right)}
    line.node = make('div', 'row', '', line.coin, line.left, line.right)
    return line
  })
  table.append(head, ...lines.map(line => line.node))
  const p = make('span', 'big', '\u2013'), formula = make('div', '', 'p = (c + 1) / (R + 1)'), now = make('span', 'big', fixed(body.observed))
  const what = make('div', '', `${body.metric} apart`), ruler = new Scale(table, 'worlds that differ as much, of 100')
  const facts = make('div', 'facts', '', make('div', '', '', now, what), make('div', '', '', p, formula))
  Object.assign(facts.style, {flexDirection: 'column', gap: 0})
  side.append(facts)
  main.append(table, side)
  let plot = null, rows = null

  let wide  // read once: a browser lays out again for whoever asks after a change
  const toss = coins => lines.forEach((line, k) => {
    const heads = coins?.[k] === 1
    wide ??= line.right.offsetLeft - line.left.offsetLeft
    line.coin.textContent = coins ? (heads ? 'H' : 'T') : ''
    line.coin.classList.toggle('heads', heads)
    line.left.style.transform = heads ? `translateX(${wide}px)` : ''
    line.right.style.transform = heads ? `translateX(${-wide}px)` : ''
  })
  const write = i => {
    now.textContent = fixed(rows.differences[i])
    what.textContent = `swap ${(i + 1).toLocaleString('en')}`
  }
  const count = to => {
    const c = rows.counts[to - 1]
    p.textContent = fixed(rows.p[to - 1], 3)
    formula.textContent = `p = (${c} + 1) / (${to} + 1)`
  }
  const drop = (from, to) => plot.add(rows.differences.slice(from, to), rows.extreme.slice(from, to).map(e => e ? 'red' : 'rest'))
  return {
    begin(given) {
      rows = given
      if (plot) return
      ruler.draw(stage)
      const box = make('div', 'strip')
      side.append(box)
      const d = Math.abs(body.observed)
      plot = new Dots(box, `${body.names[0]} \u2212 ${body.names[1]} after swaps`, {...rows.axis, edge: d}, at => stage.trace(0, at))
      plot.mark({at: -d, to: d, text: `\u00b1${fixed(d)}: observed`, color: 'red'})
    },
    one(i, done) {
      toss(null)
      const coins = rows.swapped[i]
      let at = 0
      const next = () => {
        if (at < coins.length) {
          toss(coins.map((coin, k) => k <= at ? coin : -1))
          lines.forEach((line, k) => { if (k > at) line.coin.textContent = '' })
          at++
          return setTimeout(next, i === 0 ? 260 : 60)
        }
        write(i)
        drop(i, i + 1)
        count(i + 1)
        done()
      }
      next()
    },
    many(from, to) { drop(from, to); count(to); write(to - 1); toss(rows.swapped[to - 1]) },
    trace(i) { toss(rows.swapped[i]); write(i) },
    show(end) {
      if (plot.shown === end) return
      plot.shown = end
      now.textContent = fixed(end.exact, 3)
      what.textContent = 'exact p'
      ruler.draw(stage, 100 * end.exact, `exact p ${fixed(100 * end.exact)}%`)
      plot.label = `after swaps; outline: all ${end.ways.toLocaleString('en')} ways`
      plot.every = end.every
      plot.redraw()
    },
  }
}
