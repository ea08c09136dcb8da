// A phone in a lecture: it shows the question of the stage, and takes one vote. All texts become text nodes.
const PAUSE = 2000  // milliseconds between two looks at the stage
const page = document.getElementById('page'), note = document.getElementById('note')
const make = (tag, name, text, ...children) => {
  const node = Object.assign(document.createElement(tag), {className: name ?? '', textContent: text ?? ''})
  node.append(...children)
  return node
}
const paragraph = (text, name) => make('p', name, text)
// A number of this phone, so that it votes once. Without a store it lasts as long as the page.
let phone = [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
try { localStorage.mtsig_phone = phone = localStorage.mtsig_phone ?? phone } catch { /* private window */ }
let code, shown, timer, busy = false

const readCode = text => /^\d{8}$/.test(text.replace(/\D/g, '')) ? Number(text.replace(/\D/g, '')) : undefined
const write = (values, {options, unit}) => options.length ? options[values[0]] : values.join('\u2013') + unit

// Asks the stage, or votes.
async function ask(more = {}) {
  clearTimeout(timer)
  timer = setTimeout(ask, PAUSE)
  if (document.hidden || (busy && !more.values)) return
  busy = true
  try {
    const answer = await fetch('/_mtsig/room', {method: 'POST', body: JSON.stringify({code, phone, ...more}), signal: AbortSignal.timeout(8000)})
    const said = await answer.json()
    note.textContent = said.error ?? ''
    if (answer.status === 404) { clearTimeout(timer); askForCode() }
    else if (answer.ok) show(said)
  } catch {
    note.textContent = 'No connection to the lecture. Trying again.'
  }
  busy = false
}

function askForCode() {
  code = undefined
  shown = undefined
  const field = Object.assign(make('input', 'code'), {inputMode: 'numeric', autocomplete: 'off', maxLength: 12, placeholder: '0000 0000', ariaLabel: 'Code'})
  const join = make('button', 'wide first', 'Join')
  join.disabled = true
  field.oninput = () => { join.disabled = readCode(field.value) === undefined }
  join.onclick = () => enter(readCode(field.value))
  field.onkeydown = event => { if (event.key === 'Enter' && !join.disabled) join.click() }
  page.replaceChildren(make('h1', '', 'Vote in a lecture'), paragraph('Type the code that the lecturer shows.'), field, join)
}

function enter(number) {
  code = number
  history.replaceState(null, '', `#${String(code).padStart(8, '0')}`)
  ask()
}

// Draws the page again only for another question, phase or vote: a slider that is being moved stays.
function show(said) {
  const now = JSON.stringify(said)
  if (now === shown) return
  shown = now
  if (said.phase === 'waiting') return page.replaceChildren(make('h1', '', 'You are in'), paragraph('The first question comes soon.'))
  const parts = [make('h1', '', said.title)]
  if (said.phase === 'revealed') parts.push(paragraph('Result', 'small'), paragraph(said.result, 'big'))
  else parts.push(paragraph(said.text))
  if (said.note) parts.push(paragraph(said.note, 'small'))
  if (said.phase === 'open') parts.push(...controls(said))
  if (said.vote) parts.push(paragraph(`Your vote: ${write(said.vote, said)}.${said.phase === 'open' ? ' You can change it until voting closes.' : ''}`, 'voted'))
  else if (said.phase !== 'open') parts.push(paragraph('You did not vote on this question.', 'small'))
  if (said.phase === 'closed') parts.push(paragraph('Voting is closed. Watch the stage.', 'small'))
  page.replaceChildren(...parts)
}

function controls(said) {
  const vote = values => ask({place: said.place, values})
  if (said.options.length)
    return said.options.map((text, k) => {
      const node = make('button', 'wide', text)
      node.ariaPressed = said.vote?.[0] === k
      node.onclick = () => vote([k])
      return node
    })
  const send = make('button', 'wide first', said.vote ? 'Change my vote' : 'Vote'), written = make('p', 'big')
  const values = said.vote ? [...said.vote] : Array(said.n_values).fill(null)
  const update = () => {
    const made = !values.includes(null)
    written.textContent = (made ? [...values].sort((a, b) => a - b) : values.map(x => x ?? '?')).join('\u2013') + said.unit
    send.disabled = !made
  }
  const sliders = values.map((value, k) => {
    const label = said.n_values === 2 ? ['lowest', 'highest'][k] : 'your vote'
    const slider = Object.assign(make('input'), {type: 'range', min: said.low, max: said.high, step: 1, ariaLabel: label})
    slider.value = value ?? said.low + (said.high - said.low) * (k + 1) / (said.n_values + 1)
    const set = by => {
      if (by) slider.value = Number(slider.value) + by
      values[k] = Number(slider.value)
      update()
    }
    const step = (by, text, name) => Object.assign(make('button', '', text), {onclick: () => set(by), ariaLabel: `${label}: ${name}`})
    slider.oninput = slider.onclick = () => set(0)
    return make('div', 'fine', '', step(-1, '\u2212', 'one less'), slider, step(1, '+', 'one more'))
  })
  send.onclick = () => vote(values)
  update()
  return [written, ...sliders, send]
}

const start = () => {
  const number = readCode(location.hash)
  if (number === undefined) askForCode()
  else enter(number)
}
addEventListener('hashchange', start)
document.addEventListener('visibilitychange', () => { if (code !== undefined && !document.hidden) ask() })
start()
