// Three sentences: their n-grams drop into shared bins, and the short one counts for its length, not for a third.
SCENES.mean = (main, body, stage) => {
  const all = make('div', 'column whole'), [first, second] = body.names
  const rows3 = body.outputs.map((two, k) => two.map((text, side) =>
    make('div', 'row', '', make('b', `badge ${'ab'[side]}`, fixed(body.scores[k][side])), make('span', `text ${'ab'[side]}`, text))))
  const references = body.references.map(text => make('div', 'row', '', make('b', 'badge', 'ref'), make('span', 'text', text)))
  const big = (side, value, what) => {
    const node = make('span', `big ${'ab'[side]}`, value)
    return [node, make('div', '', '', node, make('div', '', `${what}, ${body.names[side]}`))]
  }
  const [, meanA] = big(0, fixed(body.mean[0]), 'mean'), [, meanB] = big(1, fixed(body.mean[1]), 'mean')
  const [corpusA, boxA] = big(0, '\u2013', 'BLEU'), [corpusB, boxB] = big(1, '\u2013', 'BLEU')
  const bins = make('canvas'), facts = make('div', 'facts four', '', meanA, meanB, boxA, boxB), below = make('div', 'below', '', facts, bins)
  all.append(...rows3.flatMap((two, k) => [references[k], ...two]), below)
  main.append(all)
  const box = bins.getBoundingClientRect(), scale = devicePixelRatio || 1, pen = bins.getContext('2d'), style = getComputedStyle(bins)
  bins.width = box.width * scale
  bins.height = box.height * scale
  pen.scale(scale, scale)
  const u = parseFloat(style.fontSize) / 24, color = name => style.getPropertyValue(`--${name}`).trim()
  let rows = null, hands = null
  const narrow = box.width < 500, high = narrow ? box.height - 110 * u : box.height  // on a phone the weights are below the bins
  // A bin for each length of n-gram: what matches, of all there are, side by side; below, what each sentence weighs.
  const paint = step => {
    pen.clearRect(0, 0, box.width, box.height)
    pen.font = `${24 * u}px ${style.fontFamily}`
    pen.textAlign = 'left'
    const sums = rows && step ? rows.sums[step - 1] : null, wide = box.width * (narrow ? 1 : 0.64) / 4, tall = high - 64 * u
    for (let n = 0; n < 4; n++) for (const side of [0, 1]) {
      const x = n * wide + side * wide * 0.49 + u, most = Math.max(...(rows ?? {sums: [[[1, 1, 1, 1, 1, 1, 1, 1]]]}).sums.at(-1).map(s => s[4]))
      const [hits, of] = sums ? [sums[side][n], sums[side][4 + n]] : [0, 0], at = value => tall * value / most
      pen.strokeStyle = pen.fillStyle = color(['blue', 'olive'][side])
      pen.lineWidth = 2 * u
      pen.strokeRect(x, 30 * u + tall - at(of), wide * 0.36, at(of))
      pen.fillRect(x, 30 * u + tall - at(hits), wide * 0.36, at(hits))
      if (sums) pen.fillText(`${hits}/${of}`, x, 24 * u + tall - at(of))
      pen.fillStyle = style.color
      if (!side) pen.fillText(`${n + 1}-grams`, x, high - 6 * u)
    }
    const left = narrow ? 0 : box.width * 0.66, width = narrow ? box.width : box.width * 0.34, top = narrow ? high + 30 * u : 30 * u, total = body.lengths.reduce((a, b) => a + b)
    const bar = (y, shares, label) => {
      pen.fillStyle = style.color
      pen.fillText(label, left, y - 8 * u)
      let x = left
      shares.forEach((share, k) => {
        pen.globalAlpha = [0.85, 0.45, 0.65][k]
        pen.fillRect(x, y, share * width - 3 * u, 20 * u)
        pen.globalAlpha = 1
        x += share * width
      })
    }
    bar(top, [1 / 3, 1 / 3, 1 / 3], 'weight in the mean')
    if (step) bar(top + 52 * u, body.lengths.map(length => length / total), `weight by length: ${body.lengths.join(', ')}`)
  }
  const show = to => {
    rows3.forEach((two, k) => two.forEach(row => { row.style.opacity = k < to ? 1 : 0.8 }))
    if (to) [corpusA.textContent, corpusB.textContent] = rows.corpus[to - 1].map(x => fixed(x))
    paint(to)
  }
  paint(0)
  return {
    begin(given) { rows = given },
    one(i, done) { show(i + 1); setTimeout(done, 300) },
    many(from, to) { show(to) },
    trace(i) { show(i + 1) },
    // How the room voted, once it is revealed.
    show() {
      const {votes} = stage
      if (hands || !votes?.length) return
      const bar = make('div', 'hands', '', ...votes.map((count, k) => {
        const part = make('span', ['a', 'b'][k] ?? '', '', make('b', '', String(count)))
        part.style.flexGrow = count
        return part
      }))
      hands = make('div', '', '', bar, make('div', '', votes.length > 2 ? 'votes; grey: a tie' : 'votes of the room'))
      hands.className = 'voted'
      below.append(hands)
    },
  }
}
