// One stage for all scenes: question, prediction, steps, prediction with result, conclusion. It draws what Python
// sends and reports its step; Python computes all numbers. Names and texts become text nodes, never markup.

const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches
const make = (tag, name = '', text = '', ...children) => {
  const node = Object.assign(document.createElement(tag), {className: name})
  if (text !== '') node.textContent = text
  node.append(...children)
  return node
}
// Rounds as Python does: a tie goes to the even digit, where `toFixed` takes the larger.
const fixed = (x, digits = 1) => {
  const size = Math.abs(x), halves = 2 * size * 10 ** digits, between = Number.isInteger(size * 2 ** (digits + 1)) && halves % 4 === 1
  return (x < 0 ? '\u2212' : '') + (between ? (halves - 1) / 2 / 10 ** digits : size).toFixed(digits)
}
const reach = (low, high, to = ' to ') => [...new Set([fixed(low), fixed(high)])].join(to)  // one of them where both read alike

const SCENES = {}  // by key: {build(main, body), reset(), one(i, quick), many(from, to), show(end), trace(i)}

const LEAST = 20  // draws before an answer: fewer say nothing
// Keys, what they do, and which of them a click on the line stands for.
const KEYS = [['n, \u2192, Space, Page Down', 'the next step'], ['1, 2, 3, 4', '+1, +10, +100, +1000'], ['r', 'reveal', 'r'],
  ['0', 'start this scene again', '0'], ['[ and ]', 'previous and next scene', '['], [', and .', 'trace the draw before, the draw after'],
  ['x', 'what comes after the answer', 'x'], ['a, b', 'choose one of two'], ['\u2191, \u2193', 'move the slider of the guess'], ['c', 'the next correction', 'c'], ['w', 'the next setting of the sliders', 'w'],
  ['s', 'another seed', 's'], ['p', 'the room votes by phone', 'p'], ['h, H', 'handout of this scene, of all', 'h'], ['v, V', 'guesses and votes of all rounds, as CSV', 'v'], ['?', 'this list'], ['Esc', 'leave', 'Escape']]
const KEPT = 'mtsig_lecture'  // under which the tab keeps the rounds
const ASKED = 'mtsig_lecture_asked'  // and the page what was asked last
const AT_ONCE = 3, EACH = 1000 / 3  // messages, and milliseconds for each further one: a held key repeats thirty times a second
const ONCE = ['0', 'p', 'h', 'H', 'v', 'V', '?', 'Escape']  // keys that do nothing more while they are held
const leaves = asks => ['move', 'again', 'reseed', 'world'].some(key => key in asks)
// A request that an earlier stage sent just before it was replaced, if Python has not received it yet.
const unheard = ({heard, scene, seed}) => {
  const asked = window[ASKED], age = asked ? performance.timeOrigin + performance.now() - asked.at : Infinity
  return age < 5000 && asked.at !== heard && asked.scene === scene && asked.seed === seed ? asked : null
}
// The sliders of a scene's worlds, for the mouse or the arrow keys. Another world is another round.
const knobs = (parent, stage, axes) => {
  const {worlds} = stage.data.body, world = worlds[stage.data.world], wanted = [...world]
  const inputs = axes.map(([values, label, write], axis) => {
    const said = make('span', 'big'), input = make('input')
    Object.assign(input, {type: 'range', min: 0, max: values.length - 1, step: 1, value: values.indexOf(world[axis]), ariaLabel: label})
    const show = () => {
      wanted[axis] = values[input.value]
      said.textContent = input.ariaValueText = write(wanted[axis])
    }
    input.oninput = show
    input.onkeydown = () => { stage.held = axis }
    input.onchange = () => stage.say({world: worlds.findIndex(two => two.every((x, k) => x === wanted[k]))})
    show()
    parent.append(make('div', 'knob', '', said, make('div', 'column', '', make('span', '', label), input)))
    return input
  })
  stage.onSettled = () => {  // what was turned by a key keeps the focus
    if (stage.held !== null && stage.held !== undefined) inputs[stage.held].focus()
    stage.held = null
  }
}
const TURNS = ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home', 'End']  // a slider that has the focus
const STEPS = {1: 1, 2: 10, 3: 100, 4: 1000}

class Stage {
  constructor(root) {
    this.wide = innerWidth
    this.due = 0  // when what was sent is paid for
    this.node = make('div', 'stage')
    this.place = make('span', 'place')
    this.title = make('h1')
    this.about = make('span', 'place')
    this.past = make('div', 'past')
    this.instead = make('div', 'instead')
    const keys = make('button', 'plain', '?'), leave = make('button', 'plain', '\u00d7')
    keys.title = keys.ariaLabel = 'Keys'
    leave.title = leave.ariaLabel = 'Leave the lecture'
    keys.onclick = () => this.toggleHelp()
    const papers = make('button', 'plain small', 'Handouts')
    papers.onclick = () => { papers.blur(); this.papers.hidden = !this.papers.hidden }
    this.papers = this.menu()
    this.voting = new Voting(this)
    this.tools = make('div', 'tools', '', this.voting.button, papers, keys, leave)
    leave.onclick = () => this.leave()
    // In somebody's slides: the stage, and the keys that work it.
    this.embedded = new URLSearchParams(location.search).get('embed') === 'true'
    this.tools.hidden = this.embedded
    this.ask = make('p', 'ask')
    this.main = make('main')
    this.footer = make('footer')
    this.help = make('div', 'help', '', make('dl', '', '', ...KEYS.flatMap(([key, what, press]) => [make('dt', '', key), press ? make('dd', '', '', this.pressing(what, press)) : make('dd', '', what)])))
    this.help.hidden = true
    this.table = make('div', 'help rounds')
    this.table.hidden = true
    this.spoken = make('div', 'spoken')
    this.spoken.ariaLive = 'polite'
    this.node.append(make('header', '', '', this.place, this.title, this.about, this.past, this.tools), this.ask, this.main, this.instead, this.footer, this.help, this.table, this.papers, this.voting.panel, this.spoken)
    root.append(this.node)
    this.onKey = event => this.key(event)
    addEventListener('keydown', this.onKey)
    // On a phone the bar of the browser comes and goes while one scrolls.
    this.onSize = event => {
      const scrolls = event.type === 'resize' && innerWidth < 640 && innerWidth === this.wide
      this.wide = innerWidth
      if (this.data && !scrolls) this.resize()
    }
    addEventListener('resize', this.onSize)
    document.fonts.addEventListener('loadingdone', this.onSize)  // letters have another size then
  }

  end() {
    removeEventListener('keydown', this.onKey)
    removeEventListener('resize', this.onSize)
    document.fonts.removeEventListener('loadingdone', this.onSize)
    cancelAnimationFrame(this.frame)
    clearTimeout(this.timer)
    this.voting.end()
  }

  // Takes a message of Python: with a new `turn` it is complete; else it answers a request.
  receive(data, send) {
    this.send = send
    const lost = this.data ? null : unheard(data)
    if (lost) data = {...data, state: {...data.state, guess: lost.guess, votes: lost.votes, step: lost.step, revealed: lost.reveal && data.state.revealed}}
    const fresh = !this.data || this.data.turn !== data.turn
    if (!fresh && !data.rows) data = {...data, rows: this.data.rows}  // as they are here already
    this.data = data
    if (data.heard === this.asks?.at) clearTimeout(this.timer)
    this.lost = lost
    if (data.file && data.file.id === this.filed) {  // once
      this.filed = undefined
      this.save(data.file)
    }
    this.remember(data)
    const light = getComputedStyle(this.node).getPropertyValue('--st-background-color')
    this.node.classList.toggle('dark', luminance(light) < 0.4)
    if (fresh) {
      Object.assign(this, {guess: data.state.guess, revealed: data.state.revealed, step: 0, wanted: data.state.step, votes: data.state.votes, typed: {}, wrong: '', without: false, later: null, waiting: false, revealing: false, leaving: false, traced: undefined, asked: undefined, set: !data.body.worlds || data.state.votes.length > 0})
      this.typed.votes = this.written(this.votes)
      this.rebuild()
      if (data.state.extra) {
        this.later = data.further
        this.extra()
      }
    } else if (this.waiting && data.further) {
      this.waiting = false
      this.later = data.further
      this.extra()
    } else if (this.wanted > this.step) this.play()
    else if (this.started) this.draw()  // what is being typed in stays
    if (lost) {
      this.asks = lost
      this.leaving = leaves(lost)
      this.post(3000)
    } else this.ahead()
  }

  // The tab keeps the rounds over a reload, and sends them to a session that does not have them.
  remember(data) {
    this.stored ??= sessionStorage.getItem(KEPT) ?? ''
    this.telling = this.stored && !data.told
    if (this.telling && !this.told && !this.lost) {
      this.told = true
      queueMicrotask(() => this.tell())  // once all of this is taken in
    }
    if (!this.telling && data.kept) sessionStorage.setItem(KEPT, JSON.stringify(data.kept))
    if (data.rounds && data.rounds.id !== this.listed) {
      this.listed = data.rounds.id
      this.list(data.rounds)
    }
  }

  // All rounds of the session.
  list({head, rows}) {
    const line = (tag, cells) => make('tr', '', '', ...cells.map(text => make(tag, '', text)))
    const save = this.button('Save as CSV', () => this.say({file: 'votes'}), 'first', 'Key V'), close = this.button('Close', () => { this.table.hidden = true }, '', 'Key v')
    this.table.replaceChildren(rows.length ? make('table', '', '', line('th', head), ...rows.map(row => line('td', row))) : make('p', '', 'No votes yet.'), make('p', 'group', '', save, close))
    this.table.hidden = false
  }

  // Draws everything again, without motion: for a new scene, a link, another size of the window.
  rebuild() {
    cancelAnimationFrame(this.frame)
    this.busy = false
    this.wanted = Math.max(this.wanted ?? 0, this.step ?? 0)
    this.further = !this.data.body.extra
    this.main.replaceChildren()
    this.head()  // before anything is measured
    const {body} = this.data, isolated = name => `\u2068${name}\u2069`  // names of any script keep to themselves
    this.node.dataset.scene = this.data.scene
    this.scene = SCENES[this.data.scene](this.main, body.names ? {...body, names: body.names.map(isolated)} : body, this)
    this.step = 0
    if (this.ready(this.wanted)) this.jump(this.wanted)
    this.draw()
  }

  // Another size of the window: as it stood, also where something moved or came after the answer.
  resize() {
    const moved = this.busy, further = this.further && this.data.body.extra
    this.rebuild()
    if (moved) this.arrived()
    if (further) this.extra()
  }

  get rows() { return this.data.rows }
  get closed() { return this.further && (this.scene.waits || this.scene.closes) }  // what comes after the answer has no more steps
  get started() { return this.guess !== null || this.wanted > 0 }
  ready(step) { return this.rows && step <= this.rows.n }

  // The handouts: to print, or to keep as a page.
  menu() {
    const lines = [['This scene', 'handout'], ['All scenes', 'all handouts']].map(([title, file]) => make('div', 'group', '', make('span', '', title),
      this.button('Print', () => { this.printing = true; this.say({file}) }, 'first'), this.button('Save', () => this.say({file}))))
    const node = make('div', 'help papers', '', make('div', '', 'Each scene has two pages: what was on the stage with an exercise, and the answer.'), ...lines, this.button('Close', () => { node.hidden = true }))
    node.hidden = true
    return node
  }

  // A handout, or the votes of the room: a file as it came.
  save({name, text, type}) {
    if (this.printing) {
      this.printing = false
      this.paper?.remove()
      this.paper = Object.assign(make('iframe', 'spoken'), {srcdoc: text})
      this.paper.onload = () => this.paper.contentWindow.print()
      this.node.append(this.paper)
      return
    }
    const link = Object.assign(make('a'), {href: URL.createObjectURL(new Blob([text], {type})), download: name})
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  }

  // Draws that take long to make are asked for while the room talks, until the answer.
  ahead() {
    if (!this.rows && this.started && !this.lacking) this.tell()
    this.lacking = this.started && !this.rows
    if (!this.rows || this.rows.n >= this.data.most || this.asked === this.rows.n || this.revealed) return
    this.asked = this.rows.n
    this.say({have: this.rows.n})
  }

  jump(step) {
    if (this.step === 0 && this.rows) this.scene.begin(this.rows)
    if (step > this.step) this.scene.many(this.step, step, true)
    this.step = step
  }

  more(count) {
    if (!this.started || this.busy || this.closed) return
    this.wanted = Math.min(this.step + count, this.data.most)
    if (this.ready(this.wanted)) this.play()
    else { this.draw(); this.tell() }
  }

  // At the step that was wanted.
  arrived() {
    if (!this.revealing) return this.tell()
    this.revealing = false
    this.reveal()
  }

  play() {
    if (!this.ready(this.wanted) || this.busy || this.wanted <= this.step) return
    if (this.step === 0) this.scene.begin(this.rows)
    const from = this.step, to = this.wanted, scene = this.scene
    if (this.traced !== undefined) this.point(this.traced = undefined)
    const done = () => {
      if (scene !== this.scene) return  // of a scene that was left, or drawn anew, while this moved
      this.busy = false
      this.step = to
      this.draw()
      this.arrived()
    }
    this.busy = true
    this.draw()
    if (still()) { this.scene.many(from, to, true); done() }
    else if (to - from === 1) this.scene.one(from, done)
    else this.run(from, to, done)
  }

  // Many steps: about two seconds, some on each frame.
  run(from, to, done) {
    const started = performance.now(), last = Math.min(2200, 400 + 40 * (to - from))
    let at = from
    const frame = now => {
      const next = Math.min(to, from + Math.max(at - from + 1, Math.floor((to - from) * (now - started) / last)))
      this.scene.many(at, next, false)
      at = next
      if (this.count) this.count.textContent = this.counted(at)
      if (at < to) this.frame = requestAnimationFrame(frame)
      else done()
    }
    this.frame = requestAnimationFrame(frame)
  }

  // So many draws of all there may be: as many as are to be seen, while they come, too.
  counted(step) { return `${step.toLocaleString('en')} of ${this.data.most.toLocaleString('en')}` }

  reveal() {
    if (this.revealed) return this.data.end ? undefined : this.tell()  // asked once more
    if (this.busy || this.wanted > this.step) { this.revealing = true; return }  // once it is drawn
    if (!this.step) return
    const least = Math.min(LEAST, this.data.most)
    if (this.step < least) {
      this.revealing = true
      return this.more(least - this.step)
    }
    this.revealed = true
    this.tell()
  }

  // The world first, if there is one to set; then the guess. A second press goes on without a guess.
  commit() {
    if (!this.set) {
      this.set = true
      return this.draw()
    }
    if (this.wrong) return this.head()  // the votes first
    const guess = this.read()
    if (!guess && !this.without) {
      this.without = true
      this.head()  // what was wrong with the votes may be corrected by now
      return this.able()
    }
    this.guess = guess
    if (!guess) this.wanted = 1
    const go = () => { this.tell(); this.draw() }
    if (this.voting.room) return this.voting.tell().finally(go)
    go()
  }

  // The votes of the room: numbers on the scale of the guess, or ranges, or hands for each choice and for a tie. All
  // count, or none: `wrong` names the value that is no vote.
  voted(text) {
    const {kind, min, max, options} = this.data.guess
    const words = text.replace(/\btie\b/g, ' ').replace(kind === 'range' ? /[-\u2013]/g : /$^/, ' ').split(/[\s,;]+/).filter(Boolean)
    const numbers = words.map(word => /^\d{1,6}(\.\d{1,6})?$/.test(word) ? Number(word) : NaN), low = min ?? 0, high = max ?? 999999
    const bad = words.find((_, k) => !(numbers[k] >= low && numbers[k] <= high))
    if (bad !== undefined) this.wrong = `${bad} is not a number from ${low} to ${high}.`
    else if (kind === 'choice' && numbers.length && ![2, 3].includes(numbers.length)) this.wrong = `Expected the hands for ${options[0]}, for ${options[1]}, and for a tie if any. Got ${words.length}: ${words.join(' ')}.`
    else if (kind === 'range' && numbers.length % 2) this.wrong = `Each range has two numbers. ${words.at(-1)} has no second one.`
    else if (numbers.length > MOST_VOTES) this.wrong = `${numbers.length} numbers are more than ${MOST_VOTES}.`
    else this.wrong = ''
    if (this.wrong) {
      this.wrong += ' No vote is counted.'
      return []
    }
    if (kind !== 'range') return numbers
    return numbers.flatMap((x, k) => k % 2 ? [Math.min(numbers[k - 1], x), Math.max(numbers[k - 1], x)] : [])
  }

  // The same as one would type it.
  written(votes) {
    return votes.map((x, k) => x + (k === votes.length - 1 ? '' : this.data.guess.kind === 'range' && k % 2 === 0 ? '-' : ' ')).join('')
  }

  extra() {
    if (this.busy || this.further || !this.revealed || !this.data.end) return
    if (this.scene.waits && !this.later) {
      this.waiting = true
      this.draw()
      return this.tell()
    }
    this.further = true
    this.scene.extra()
    this.draw()
    if (!this.data.state.extra) this.tell()
  }

  again() { this.say({again: true}) }
  leave() { document.querySelector('[data-testid=stPageLink] a').click() }  // one step of the history
  tell() { this.say({}) }
  say(more) {
    if (this.leaving) return  // for another scene: what still moves here says nothing more
    const added = {...this.unsent, ...more}
    this.leaving = leaves(more)
    if (!('have' in more)) this.asked = undefined  // this may reach Python in the place of what was asked before
    const {scene, seed} = this.data
    const asks = {scene, seed, guess: this.guess, votes: this.votes ?? [], step: this.wanted, rows: this.rows?.n ?? 0, reveal: this.revealed, extra: this.revealed && (this.waiting || (this.further && 'extra' in this.data.body)), ...(this.telling ? {told: JSON.parse(this.stored)} : {}), ...added}
    if (this.repeats && this.data.heard !== this.asks?.at && JSON.stringify({...asks, at: this.asks?.at}) === JSON.stringify(this.asks)) return  // it is on its way
    this.unsent = added
    this.asks = {...asks, at: performance.timeOrigin + performance.now()}
    if ('file' in added) this.filed = this.asks.at
    window[ASKED] = this.asks
    this.post(3000)
  }

  // A message sent while the connection is down is lost, so it is repeated until Python has received it. A held key makes
  // many requests; only the latest is sent, when its turn comes.
  post(wait) {
    clearTimeout(this.timer)
    const now = performance.now(), early = this.due - now - (AT_ONCE - 1) * EACH
    if (early > 0) {
      this.timer = setTimeout(() => this.post(wait), early)
      return
    }
    this.due = Math.max(this.due, now) + EACH
    this.unsent = {}
    this.send('asks', this.asks)
    this.timer = setTimeout(() => this.post(2 * wait), wait)
  }

  next() {
    if (this.busy) return
    if (!this.started) this.commit()
    else if (this.revealed) this.further ? this.say({move: 1}) : this.extra()
    else {
      const goal = [1, 2, 12, 112, 1112].find(at => at > this.step && at <= this.data.most)
      if (goal !== undefined) this.more(goal - this.step)
      else if (this.step < this.data.most && this.data.most <= 1000) this.more(this.data.most - this.step)
      else this.reveal()
    }
  }

  said(guess) {
    const {options, unit} = this.data.guess
    return options ? options[guess[0]] : guess.join('\u2013') + unit
  }

  pressing(what, key) {
    const node = make('button', 'plain', what)
    node.onclick = () => { this.help.hidden = true; this.key(new KeyboardEvent('keydown', {key})) }
    return node
  }

  toggleHelp() { this.help.hidden = !this.help.hidden }

  key(event) {
    const field = event.composedPath()[0]
    if (event.ctrlKey || event.metaKey || event.altKey || !this.data) return
    if (field?.type === 'text' && event.key === 'Escape') return field.blur()
    if (field?.type === 'text' && event.key !== 'Enter') return
    if (field?.type === 'range' && TURNS.includes(event.key)) return
    const key = event.key
    if (this.embedded && ['p', 'h', 'H', 'v', 'V', 'Escape'].includes(key)) return
    this.repeats = event.repeat
    if (this.repeats && ONCE.includes(key)) return event.preventDefault()
    if (key === 'Escape' && !(this.papers.hidden && this.voting.panel.hidden)) this.papers.hidden = this.voting.panel.hidden = true
    else if (!this.help.hidden && key !== '?') this.help.hidden = true
    else if (!this.table.hidden && ['ArrowUp', 'ArrowDown'].includes(key)) this.table.scrollBy(0, key === 'ArrowUp' ? -80 : 80)
    else if (!this.table.hidden && key !== 'V') { if (key === 'Enter' && field?.tagName === 'BUTTON') return; this.table.hidden = true }
    else if (key === '?') this.toggleHelp()
    else if (key === ' ' && field?.tagName === 'BUTTON') return
    else if (key === 'Enter') { if (field?.tagName === 'BUTTON' || this.started) return; this.commit() }
    else if (['n', 'ArrowRight', ' ', 'PageDown'].includes(key)) this.next()
    else if (key in STEPS) this.more(STEPS[key])
    else if (key === 'r') this.reveal()
    else if (key === '0') this.again()
    else if (key === 'h' || key === 'H') this.say({file: key === 'h' ? 'handout' : 'all handouts'})
    else if (key === 'p') this.voting.toggle()
    else if (key === 'v') this.say({rounds: true})
    else if (key === 'V') this.say({file: 'votes'})
    else if (key === '[' || key === 'PageUp') this.say({move: -1})
    else if (key === ']') this.say({move: 1})
    else if (key === ',' || key === '.') this.trace(key === ',' ? -1 : 1)
    else if (key === 'x') this.extra()
    else if ((key === 'a' || key === 'b') && !this.started && this.choose) this.choose(key === 'a' ? 0 : 1)
    else if ((key === 'ArrowUp' || key === 'ArrowDown') && !this.started && this.grip) this.grip()
    else if (key === 'c' && this.scene.turn) { if (!this.busy) this.scene.turn() }
    else if (key === 'w' && this.data.worlds) this.say({world: (this.data.world + 1) % this.data.worlds.length})
    else if (key === 's') this.say({reseed: true})
    else if (key === 'Escape') this.leave()
    else return
    event.preventDefault()
  }

  trace(by, exactly) {
    if (this.busy || !this.step || !this.scene.trace) return
    this.traced = Math.max(0, Math.min(this.step - 1, exactly ?? (this.traced ?? this.step - 1) + by))
    this.scene.trace(this.traced)
    this.point(this.traced)
  }

  // The dots of one draw stand out.
  point(at) { for (const canvas of this.main.querySelectorAll('canvas')) canvas.dots?.point(at) }

  head() {
    const {data} = this
    this.place.textContent = `${data.number} / ${data.of}`
    this.title.textContent = data.title
    const past = this.started ? [] : data.past
    this.about.textContent = past.length ? '' : data.about
    this.instead.textContent = this.started ? '' : this.wrong || data.instead
    this.past.replaceChildren(...past.map(text => make('span', '', text)))
  }

  // Words and controls for the current step.
  draw() {
    const {data} = this
    this.head()
    const end = this.revealed ? data.end : null, words = (this.further && this.later) || end
    const after = this.further && data.body.extra && end?.after, said = after || words?.conclusion
    this.ask.textContent = end ? said : this.started ? data.during : data.question
    if (end) {
      this.ask.prepend(make('b', '', 'So: '))
      const marks = data.guess.kind === 'range' ? ' (bars)' : ' (\u25bc)', asked = words === end && !after  // what was guessed
      if (this.guess && asked) this.ask.append(` Your guess${data.guess.kind === 'range' ? ' (bar)' : ''}: ${this.said(this.guess)}.`)
      if (data.state.room && asked && data.guess.kind !== 'choice') this.ask.append(` The room${marks}: ${data.state.room}.`)
    }
    const parts = []
    this.choose = this.grip = null
    this.node.classList.toggle('setting', !this.set || (!!data.body.worlds && !!end))
    if (!this.started && !this.set) parts.push(make('span', 'limit', 'Move the sliders, then guess.'), this.button('Guess for these', () => this.commit(), 'first', 'Key n'))
    else if (!this.started) parts.push(...this.guessing())
    else {
      const steps = make('div', 'group')
      for (const [key, count] of Object.entries(STEPS))
        if (count <= data.most) steps.append(this.button(`+${count.toLocaleString('en')}`, () => this.more(count), '', `Key ${key}`, this.busy || this.step >= data.most || this.closed))
      if (end && !this.further) parts.push(this.button(this.waiting ? 'Drawing \u2026' : data.body.extra, () => this.extra(), 'first', 'Key x', this.waiting))
      else if (!end || (this.step < data.most && !this.closed && !data.body.worlds)) parts.push(steps)
      const count = make('span', 'limit', end ? `Limit: ${words.limitation}` : `${this.counted(this.step)}${this.wanted > this.step && !this.busy ? ', drawing \u2026' : ''}`)
      this.count = end ? null : count
      if (end) parts.unshift(count)
      else parts.push(count)
      if (this.scene.controls) parts.push(...this.scene.controls())
      parts.push(end ? this.button(this.data.number < this.data.of ? 'Next scene' : 'First scene', () => this.say({move: 1}), '', 'Key n')
        : this.button('Reveal', () => this.reveal(), this.step >= Math.min(100, data.most) ? 'first' : '', 'Key r', this.busy || !this.step))
    }
    this.footer.replaceChildren(...parts)
    if (end && this.step) this.scene.show(end, this)
    this.onSettled?.()
    this.spoken.textContent = end ? said : ''
  }

  button(text, act, name = '', title = '', disabled = false) {
    const node = make('button', name, text)
    Object.assign(node, {onclick: () => { act(); }, title, disabled})
    return node
  }

  // The field for the votes of the room, sent as soon as it loses the focus; or how many have voted by phone.
  ballot(example, what) {
    if (this.voting.room) return this.voting.tally
    this.voteBox = make('input', 'votes')
    Object.assign(this.voteBox, {type: 'text', value: this.typed.votes ?? '', placeholder: example, ariaLabel: `Votes of the room, ${what}`})
    const take = () => {
      this.typed.votes = this.voteBox.value
      this.votes = this.voted(this.typed.votes)
    }
    this.voteBox.oninput = take
    this.voteBox.onchange = () => { take(); this.head(); this.tell() }
    return make('span', 'ballot', '', this.voteBox)
  }

  // The control that takes the guess: nothing is chosen in advance.
  going() {
    const node = this.button('', () => this.commit(), 'first', 'Key n')
    this.able = () => {
      const made = this.read() !== null
      node.textContent = made || !this.without ? 'This is my guess' : 'Skip the guess'
      node.disabled = !made && !this.without
    }
    this.able()
    return node
  }

  guessing() {
    const {guess} = this.data, two = guess.kind === 'range'
    if (guess.kind === 'choice') {
      const buttons = guess.options.map((text, k) => this.button(text, () => choose(k), '', `Key ${'ab'[k]}`))
      const show = () => buttons.forEach((node, at) => { node.className = at === this.typed.choice ? 'first' : ''; node.ariaPressed = at === this.typed.choice })
      const choose = k => { this.typed.choice = k; show(); this.able() }
      this.choose = choose
      this.read = () => this.typed.choice === undefined ? null : [this.typed.choice]
      show()
      const group = make('div', 'group', '', ...buttons)
      return [make('span', 'limit', guess.prompt), group, this.ballot('hands: 40 35, tie 9', 'hands for the first, for the second, for a tie'), this.going()]
    }
    const slide = make('div', two ? 'slide two' : 'slide'), said = make('span', 'big')
    const inputs = (two ? [guess.low, guess.high] : [guess.start]).map((value, k) => {
      const input = make('input')
      Object.assign(input, {type: 'range', min: guess.min, max: guess.max, step: guess.step, value: this.typed.values?.[k] ?? value, ariaLabel: two ? ['lowest', 'highest'][k] : data_label(guess)})
      return input
    })
    const values = () => inputs.map((input, k) => this.typed.values?.[k] === undefined ? null : Number(input.value))
    const write = () => {
      const now = values(), made = !now.includes(null)
      said.textContent = (made ? now.sort((a, b) => a - b) : now.map(x => x ?? '?')).join('\u2013') + guess.unit
      inputs.forEach((input, k) => { input.className = now[k] === null ? 'unset' : ''; input.ariaValueText = now[k] === null ? 'not set' : null })
      return made ? now : null
    }
    const touch = k => { (this.typed.values ??= [])[k] = inputs[k].value; write(); this.able() }
    inputs.forEach((input, k) => {
      input.oninput = input.onclick = () => touch(k)
      input.onkeydown = event => { if (TURNS.includes(event.key)) touch(k) }  // also where it goes no further
    })
    this.grip = () => {
      const at = Math.max(0, values().indexOf(null))
      inputs[at].focus()
      touch(at)
    }
    this.read = write
    slide.append(...inputs)
    write()
    return [make('div', 'guess', '', slide, said), two ? this.ballot('votes: 20-30 15-40', 'a range from each') : this.ballot('votes: 1 2 3 4 5', 'a number from each'), this.going()]
  }
}

const MOST_VOTES = 600  // as in pages/_sections/lecture_scenes.py
const data_label = guess => `Your guess, from ${guess.min} to ${guess.max}${guess.unit}`

function luminance(color) {
  const [r, g, b] = (color.match(/^#(..)(..)(..)/)?.slice(1).map(h => parseInt(h, 16)) ?? color.match(/[\d.]+/g)?.map(Number) ?? [255, 255, 255])
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255
}

// Dots that fall on one fixed axis and stack; each is the draw of its number.
class Dots {
  constructor(parent, label, {low, high, bins = 60, digits = 1, integers = false, edge = 0, below = 0}, onPick) {
    const inside = Math.round(edge * bins / (high - low))  // no bin holds values of both sides of an edge, about 0
    if (inside) {
      const around = Math.ceil(high * inside / edge)
      bins = 2 * around
      high = around * edge / inside
      low = -high
    } else edge = 0
    this.canvas = make('canvas')
    this.canvas.role = 'img'
    this.canvas.dots = this
    this.canvas.ariaLabel = label
    parent.append(this.canvas)
    Object.assign(this, {label, low, high, digits, integers, edge, bins: integers ? high - low + 1 : bins, marks: [], values: [], colors: [], place: [], counts: []})
    const box = this.canvas.getBoundingClientRect(), scale = devicePixelRatio || 1
    this.u = parseFloat(getComputedStyle(this.canvas).fontSize) / 24
    this.width = box.width
    this.height = box.height
    this.canvas.width = box.width * scale
    this.canvas.height = box.height * scale
    this.pen = this.canvas.getContext('2d')
    this.pen.scale(scale, scale)
    const style = getComputedStyle(this.canvas)
    this.color = Object.fromEntries(['blue', 'olive', 'red', 'guess', 'rest'].map(name => [name, style.getPropertyValue(`--${name}`).trim()]))
    this.color.text = style.color
    this.color.back = style.getPropertyValue('--st-background-color').trim()
    this.font = style.fontFamily
    this.base = this.height - Math.max(below, label ? 62 : 34) * this.u
    this.bars = []
    this.counts = new Array(this.bins).fill(0)
    this.each = 16 * this.u  // seen from the last row, also where it is one
    if (onPick) this.canvas.onclick = event => {
      const at = this.nearest(event.offsetX, event.offsetY)
      if (at >= 0) onPick(at)
    }
    this.redraw()
  }

  x(value) {
    value = Math.max(this.low, Math.min(this.high, value))
    return (0.03 + 0.94 * (this.integers ? (value - this.low + 0.5) / (this.high - this.low + 1) : (value - this.low) / (this.high - this.low))) * this.width
  }

  bin(value) {
    if (this.edge) value += Math.sign(value) * (Math.abs(value) > this.edge - 2e-4 ? 1 : -1) * this.edge / 1e5  // rounded
    const at = this.integers ? value - this.low : Math.floor((value - this.low) / (this.high - this.low) * this.bins)
    return Math.max(0, Math.min(this.bins - 1, at))
  }

  add(values, colors) {
    const start = this.values.length
    values.forEach((value, k) => {
      const bin = this.bin(value)
      this.values.push(value)
      this.colors.push(colors?.[k] ?? 'rest')
      this.place.push([bin, this.counts[bin]++])
    })
    const room = this.base - 62 * this.u, tallest = Math.max(...this.counts)
    if (tallest * this.each > room) {  // by steps that do not depend on the way there
      while (tallest * this.each > room) this.each *= 0.75
      this.redraw()
    } else for (let k = start; k < this.values.length; k++) this.dot(k)
  }

  dot(k, highlight) {
    const [bin, height] = this.place[k], wide = 0.94 * this.width / this.bins
    const x = 0.03 * this.width + (bin + 0.5) * wide, tall = this.each
    this.pen.fillStyle = highlight ? this.color.text : this.color[this.colors[k]]
    const w = Math.min(wide * 0.86, 26 * this.u)
    this.pen.fillRect(x - w / 2, this.base - (height + 1) * tall, w, tall > 2 ? Math.max(tall * 0.86, tall - 1) : tall + 0.5)
  }

  point(k) {
    this.redraw()
    if (k < this.values.length) this.dot(k, true)
  }

  nearest(x, y) {
    let best = -1, least = 900
    this.place.forEach(([bin, height], k) => {
      const dx = (0.03 + 0.94 * (bin + 0.5) / this.bins) * this.width - x, dy = this.base - (height + 0.5) * this.each - y
      if (dx * dx + dy * dy < least) { least = dx * dx + dy * dy; best = k }
    })
    return best
  }

  redraw() {
    const {pen, u} = this
    pen.clearRect(0, 0, this.width, this.height)
    pen.strokeStyle = pen.fillStyle = this.color.text
    pen.lineWidth = 2 * u
    pen.beginPath()
    pen.moveTo(0.02 * this.width, this.base)
    pen.lineTo(0.98 * this.width, this.base)
    pen.stroke()
    pen.font = `${24 * u}px ${this.font}`
    pen.textAlign = 'center'
    const ticks = this.integers ? [...Array(this.bins).keys()].filter(k => k % (this.bins > 40 ? 10 : 2) === 0).map(k => this.low + k) : nice(this.low, this.high)
    for (const tick of ticks) {
      const text = this.integers ? String(tick) : label_of(tick)
      pen.fillText(text, Math.min(this.x(tick), this.width - pen.measureText(text).width / 2), this.base + 27 * u)
    }
    if (!this.bars.length) {
      pen.globalAlpha = 0.8
      pen.fillText(this.label, this.width / 2, this.base + 55 * u, this.width)
      pen.globalAlpha = 1
    }
    this.bars.forEach(({from, to, color, thick}, k) => {  // below the axis, where no dots are
      pen.fillStyle = this.color[color]
      pen.fillRect(this.x(from), this.base + (36 + 6.5 * k) * u - thick * u / 2, this.x(to) - this.x(from), thick * u)
    })
    pen.fillStyle = this.color.text
    this.values.forEach((_, k) => this.dot(k))
    if (this.every) this.outline()
    for (const mark of this.marks) this.line(mark)
  }

  // The distribution of other values, as an outline of the same area.
  outline() {
    const counts = new Array(this.bins).fill(0), {pen, u, every: values} = this, wide = 0.94 * this.width / this.bins
    for (const value of values) counts[this.bin(value)]++
    pen.strokeStyle = this.color.text
    pen.lineWidth = 2.5 * u
    pen.beginPath()
    pen.moveTo(0.03 * this.width, this.base)
    counts.forEach((count, k) => {
      const y = this.base - count * this.values.length / values.length * this.each
      pen.lineTo(0.03 * this.width + k * wide, y)
      pen.lineTo(0.03 * this.width + (k + 1) * wide, y)
    })
    pen.lineTo(0.97 * this.width, this.base)
    pen.stroke()
  }

  // A line across, with a word on top; a band where it has two ends.
  mark(mark) { this.marks.push(mark); this.redraw() }

  // The predictions: the guess, and the votes of the room, each a triangle above its number; ranges are bars.
  predicted({guess, votes, data}) {
    const times = new Map()
    this.bars = []
    if (data?.guess.kind === 'range') {
      if (guess) this.bars.push({from: guess[0], to: guess[1], color: 'guess', thick: 5})
      for (let k = 1; k < (votes?.length ?? 0); k += 2) this.bars.push({from: votes[k - 1], to: votes[k], color: 'text', thick: 3})
      return this.redraw()
    }
    if (guess) this.marks.push({at: guess[0], text: `your guess ${guess[0]}`, color: 'guess', row: 1})
    for (const vote of votes ?? []) if (vote >= this.low && vote <= this.high) times.set(vote, (times.get(vote) ?? 0) + 1)
    for (const [vote, count] of times) this.marks.push({at: vote, text: count > 4 ? `\u25bc \u00d7${count}` : '\u25bc'.repeat(count), row: 2, thin: true})
    this.redraw()
  }

  // `outer`: around the dots of both ends, not through their middle.
  line({at, to, text, color = 'text', row = 0, dashed = false, thin = false, outer = false}) {
    const {pen, u} = this, y = (24 + 29 * row) * u, wide = 0.94 * this.width / this.bins
    const x = outer ? 0.03 * this.width + this.bin(at) * wide : this.x(at)
    const end = to === undefined ? x : outer ? 0.03 * this.width + (this.bin(to) + 1) * wide : this.x(to)
    pen.strokeStyle = pen.fillStyle = this.color[color]
    pen.lineWidth = (thin ? 1.5 : 3) * u
    pen.setLineDash(dashed ? [8 * u, 6 * u] : [])
    pen.beginPath()
    pen.moveTo(x, y + 4 * u)
    pen.lineTo(x, this.base)
    if (to !== undefined) {
      pen.moveTo(end, y + 4 * u)
      pen.lineTo(end, this.base)
      pen.moveTo(x, y + 5 * u)
      pen.lineTo(end, y + 5 * u)
    }
    pen.stroke()
    pen.setLineDash([])
    const middle = (x + end) / 2, half = Math.min(this.width, pen.measureText(text ?? '').width) / 2
    pen.textAlign = 'center'
    if (!text) return
    const left = Math.max(half, Math.min(this.width - half, middle))
    pen.strokeStyle = this.color.back  // no line of another mark runs through the word
    pen.lineWidth = 4 * u
    pen.lineJoin = 'round'
    if (!thin) pen.strokeText(text, left, y - 3 * u, this.width)
    pen.fillText(text, left, y - 3 * u, this.width)
  }
}

// The axis of the guess, if the dots have another: the prediction, and later the result.
class Scale {
  constructor(parent, label) {
    this.label = label
    this.box = make('div', 'strip')
    this.box.style.flex = '0 0 6.2em'
    parent.append(this.box)
  }

  draw(stage, truth, text) {
    const {min, max} = stage.data.guess
    this.dots ??= new Dots(this.box, this.label, {low: min, high: max})
    this.dots.marks = truth === undefined ? [] : [{at: truth, text}]
    this.dots.predicted(stage)
  }
}

function nice(low, high) {
  const raw = (high - low) / 6, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].find(m => m * power >= raw) * power
  const ticks = []
  for (let tick = Math.ceil(low / step) * step; tick <= high + step / 1e6; tick += step) ticks.push(Math.abs(tick) < step / 1e6 ? 0 : tick)
  return ticks
}
const label_of = x => (x < 0 ? '\u2212' : '') + String(Math.abs(Number(x.toPrecision(6))))

const stages = new WeakMap()
export default function ({data, parentElement, setTriggerValue}) {
  let stage = stages.get(parentElement)
  if (!stage) stages.set(parentElement, stage = new Stage(parentElement))
  stage.receive(data, setTriggerValue)
  return () => { stage.end(); stage.node.remove(); stages.delete(parentElement) }
}
