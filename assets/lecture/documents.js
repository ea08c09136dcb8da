// Two equal systems, one test set after the other: how often each test calls them different.
SCENES.documents = (main, body, stage) => {
  const left = make('div', 'column'), side = make('div', 'column'), tiles = make('canvas'), boxes = [0, 1].map(() => make('div', 'strip'))
  left.style.flex = '0.8'
  const label = make('div', '', '\u00a0')
  knobs(left, stage, [[body.sizes, 'sentences in each document, m', String], [body.correlations, 'correlation within each, rho', String]])
  left.append(tiles, label)
  const ruler = new Scale(left, 'false alarms by sentence, of 100 tests')
  const counters = ['by sentence', 'by document'].map(what => {
    const node = make('span', 'big counted', '\u2013')
    const words = make('div', '', what), ends = make('div')
    return {what, node, words, ends, box: make('div', '', '', node, words, ends)}
  })
  const effect = make('span', 'big', '\u2013'), effectBox = make('div', '', '', effect, make('div', '', '1 + (m \u2212 1) rho'))
  side.append(make('div', 'facts', '', ...counters.map(c => c.box), effectBox), ...boxes)
  main.append(left, side)
  const box = tiles.getBoundingClientRect(), scale = devicePixelRatio || 1, pen = tiles.getContext('2d'), style = getComputedStyle(tiles)
  tiles.width = box.width * scale
  tiles.height = box.height * scale
  pen.scale(scale, scale)
  const color = name => style.getPropertyValue(`--${name}`).trim(), names = ['sentence', 'document']
  let plots = null, rows = null
  const paint = i => {
    pen.clearRect(0, 0, box.width, box.height)
    const shown = Math.min(i, (rows?.tiles.length ?? 1) - 1), shades = rows?.tiles[shown] ?? ''
    if (shades) label.textContent = `test set ${shown + 1}: ${body.tiles_label}`
    const across = body.per_document, down = body.documents, per = Math.ceil(down / Math.max(1, Math.floor(24 / across)))
    const columns = Math.ceil(down / per), wide = box.width / (columns * (across + 1)), tall = Math.min(wide * 1.4, box.height / per)
    for (let d = 0; d < down; d++) for (let s = 0; s < across; s++) {
      const value = shades ? (shades.charCodeAt(d * across + s) - 77) / 9 : 0
      pen.globalAlpha = shades ? 0.12 + 0.88 * Math.min(1, Math.abs(value)) : 0.12
      pen.fillStyle = shades ? color(value < 0 ? 'olive' : 'blue') : style.color
      pen.fillRect((Math.floor(d / per) * (across + 1) + s) * wide, (d % per) * tall, wide * 0.92, tall * 0.84)
    }
    pen.globalAlpha = 1
  }
  const drop = (from, to) => {
    names.forEach((name, k) => {
      const p = rows[name].slice(from, to)
      plots[k].add(p, p.map(value => value <= body.alpha ? 'red' : 'rest'))
      const count = rows[name].slice(0, to).filter(value => value <= body.alpha).length
      counters[k].node.textContent = count.toLocaleString('en')
      counters[k].words.textContent = `of ${to.toLocaleString('en')} ${counters[k].what}`
    })
    paint(to - 1)
  }
  paint(0)
  return {
    begin(given) {
      rows = given
      ruler.draw(stage)
      plots ??= names.map((name, k) => new Dots(boxes[k], `p of each test, by ${name}; orange: at most ${body.alpha}`, {low: 0, high: 1, bins: 40}, at => stage.trace(0, at)))
    },
    one(i, done) { paint(i); setTimeout(() => { drop(i, i + 1); done() }, 350) },
    many: drop,
    trace: paint,
    show(end) {
      ruler.draw(stage, end.of_hundred, `by sentence ${end.truth}`)
      counters.forEach((counter, k) => {
        const [share, ends] = end.shares[k].split(/ \(|\)/)
        counter.node.textContent = share
        counter.words.textContent = `${counter.what}, ${end.expected[k]}`
        counter.ends.textContent = ends
      })
      effect.textContent = fixed(end.effect)
    },
  }
}
