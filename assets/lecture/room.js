// The room votes by phone. Each second the stage says what it shows, and hears how many have voted. Who voted what it
// hears once voting is closed.
const ROOM_KEPT = 'mtsig_lecture_room'  // under which the tab keeps the room over a reload

class Voting {
  constructor(stage) {
    this.stage = stage
    this.room = JSON.parse(sessionStorage.getItem(ROOM_KEPT) ?? 'null')
    this.n = 0
    this.button = make('button', 'plain small')
    this.button.onclick = () => {
      this.button.blur()  // the space bar is the next step
      this.toggle()
    }
    this.button.title = 'Key p'
    this.count = make('span', 'big', '0')
    this.unit = make('span')
    this.tally = make('span', 'ballot tally', '', this.count, this.unit)
    this.panel = make('div', 'help join')
    this.panel.hidden = true
    this.timer = setInterval(() => this.tell(), 1000)
    this.write()
  }

  end() { clearInterval(this.timer) }

  get code() { return String(this.room.code).padStart(8, '0').replace(/(?=....$)/, ' ') }

  get votes() { return this.n === 1 ? 'vote by phone' : 'votes by phone' }

  // What phones are asked: the guess of the stage.
  get question() {
    const {data, revealed, started} = this.stage, {guess, end, worlds} = data, options = guess.options ?? []
    return {
      scene: data.scene, place: [data.scene, data.seed, data.world, data.about].join(' ').slice(0, 200),
      phase: revealed && end ? 'revealed' : started ? 'closed' : 'open',
      low: guess.min ?? 0, high: guess.max ?? options.length, n_values: guess.kind === 'range' ? 2 : 1, unit: guess.unit ?? '',
      options: options.length ? [...options, 'a tie'] : [], result: revealed && end ? end.truth : '',
      note: revealed && data.state.room ? `The room: ${data.state.room}.`.slice(0, 300) : worlds ? `Chosen: ${worlds[data.world]}.` : '',
    }
  }

  async post(message) {
    const answer = await fetch(new URL('_mtsig/room', document.baseURI), {method: 'POST', body: JSON.stringify(message), signal: AbortSignal.timeout(3000)})
    return [answer.status, await answer.json()]
  }

  async open() {
    const address = new URL('vote', document.baseURI).href
    const [status, room] = await this.post({ticket: this.stage.data.ticket, address})
    if (status === 200) this.keep({...room, address})
  }

  keep(room) {
    this.room = room
    this.n = 0
    this.stage.wrong = ''  // the field is not there
    if (room) sessionStorage.setItem(ROOM_KEPT, JSON.stringify(room))
    else sessionStorage.removeItem(ROOM_KEPT)
    this.write()
  }

  // Tells the room what the stage shows, and takes the votes that are closed.
  async tell() {
    if (!this.room || !this.stage.data) return
    const {place, ...question} = this.question
    let status, said
    try {
      [status, said] = await this.post({code: this.room.code, key: this.room.key, question: {place, ...question}})
    } catch { return }  // the next second finds the server again
    if (status === 404) {
      this.keep(null)
      return this.stage.draw()
    }
    if (status !== 200 || place !== this.question.place) return
    this.n = said.n
    this.write()
    const votes = this.arrange(said.votes ?? [])
    if (votes.length && this.stage.started && votes.join() !== this.stage.votes.join()) {
      this.stage.votes = votes
      this.stage.tell()
    }
  }

  // As the stage has them: numbers, ranges of two numbers, or hands for each choice and for a tie.
  arrange(votes) {
    const {options} = this.stage.data.guess
    if (!options || !votes.length) return votes.flat()
    return [...options, 'a tie'].map((_, k) => votes.filter(([choice]) => choice === k).length)
  }

  async toggle() {
    if (!this.room) await this.open().catch(() => {})
    this.panel.hidden = !this.panel.hidden
    this.write()
    this.stage.draw()
    this.tell()
  }

  write() {
    this.button.textContent = this.room ? `Code ${this.code}` : 'Vote by phone'
    this.count.textContent = this.n
    this.unit.textContent = this.votes
    if (this.panel.hidden) return
    if (!this.room) return this.panel.replaceChildren(make('p', '', 'The server opened no room. Try again, or type the votes.'))
    const {picture, address} = this.room, host = new URL(address).hostname
    const close = this.stage.button('Close', () => this.toggle(), 'first', 'Key p')
    const words = [make('div', '', 'Scan, or open'), make('div', 'address', address.replace(/^https?:\/\//, '')), make('div', '', 'and type the code'), make('div', 'big', this.code),
      make('div', 'facts', '', make('span', 'big', this.n), make('span', '', this.votes)), close]
    if (['localhost', '127.0.0.1', '[::1]'].includes(host))
      words.splice(4, 0, make('div', 'counted', 'Phones cannot reach this address. Start mtsig serve --address 0.0.0.0, and open the lecture by the address of this machine.'))
    this.panel.replaceChildren(Object.assign(make('img'), {src: picture, alt: `QR code of ${address}`}), make('div', 'column', '', ...words))
  }
}
