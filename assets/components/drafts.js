// What is typed and not sent yet: the tab keeps it, so that neither a reload nor another page loses it. The server has
// nothing of a form before its button is pressed, and nothing of another field before somebody leaves it. An upload is
// lost by a reload: the tab keeps its names until it is opened. The browser keeps the name of the editor for all reviews.
const STORE = 'mtsig_drafts', FIELDS = '[class*="st-key-"] :is(input[type=text], textarea):not([role=combobox])'
const AUTHOR = '.st-key-review-author input', NAME = 'mtsig_author', OPEN = '[class*="st-key-data-open"] button'
const PAUSE = 300  // milliseconds after a change of the page, while it may still draw its fields again
const TRIES = 4  // to fill a field that may not take its text
const tries = new WeakMap(), touched = new WeakSet()  // fields in which somebody has typed: they are left alone
let scope, listens = false, waits = false

const read = () => JSON.parse(sessionStorage.getItem(STORE) ?? '{}')
const name = field => [...field.closest('[class*="st-key-"]').classList].find(one => one.startsWith('st-key-'))
const isField = node => node.matches?.(FIELDS) && !node.closest('[data-baseweb="select"]')
const isSent = field => scope !== 'upload' && !field.closest('[data-testid="stForm"]')  // when somebody leaves it

function keep(key, text) {
  const drafts = read(), own = drafts[scope] ??= {}
  if (text) own[key] = text
  else delete own[key]
  sessionStorage.setItem(STORE, JSON.stringify(drafts))
}

// As if somebody had typed it: React reads the value of a field only when it is told of it.
function type(field, text) {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, text)
  field.dispatchEvent(new Event('input', {bubbles: true}))
  field.dispatchEvent(new FocusEvent('focusout', {bubbles: true}))
}

function restore() {
  waits = false
  const author = document.querySelector(AUTHOR), authorName = localStorage.getItem(NAME)
  if (author && authorName && !author.value && !touched.has(author)) type(author, authorName)
  const own = read()[scope] ?? {}
  for (const field of document.querySelectorAll(FIELDS)) {
    const key = isField(field) && name(field)
    if (!own[key] || own[key] === field.value || touched.has(field)) continue
    if (tries.get(field) === TRIES) continue
    tries.set(field, (tries.get(field) ?? 0) + 1)
    type(field, own[key])
    if (isSent(field)) keep(key, '')
  }
}

function restoreSoon() {
  if (!waits) setTimeout(restore, PAUSE)
  waits = true
}

// `saved` is the key of a field whose text the last run has saved.
export default function({data}) {
  scope = data.scope
  if (!listens) {
    listens = true
    new MutationObserver(restoreSoon).observe(document.body, {childList: true, subtree: true})
    document.addEventListener('input', event => {
      const field = event.target
      if (!event.isTrusted || !isField(field)) return
      touched.add(field)
      if (field.matches(AUTHOR)) localStorage.setItem(NAME, field.value)
      else keep(name(field), field.value)
    })
    document.addEventListener('change', event => {
      if (event.isTrusted && isField(event.target) && isSent(event.target)) keep(name(event.target), '')
    })
    document.addEventListener('click', event => {
      if (event.target.closest(OPEN)) sessionStorage.setItem(STORE, JSON.stringify({...read(), upload: {}}))
    })
  }
  if (data.saved) {
    const key = `st-key-${data.saved.trim().replace(/[^a-zA-Z0-9_-]/g, '-')}`  // as Streamlit names the class of its field
    document.querySelectorAll(`.${key} :is(input, textarea)`).forEach(field => touched.add(field))
    keep(key, '')
  }
  restoreSoon()
}
