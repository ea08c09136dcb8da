// What is typed into the forms of a review and not saved yet: the tab keeps it, so that a reload does not lose it. The
// server has nothing of a form before its button is pressed. The browser keeps the name of the editor for all reviews.
const STORE = 'mtsig_drafts', FIELDS = '[class*="st-key-review-"] :is(input[type=text], textarea)'
const AUTHOR = '.st-key-review-author input', NAME = 'mtsig_author'
const WAITS = [0, 300, 1000, 3000]  // milliseconds after a run, while the page may still draw its fields again
const touched = new Set()  // fields in which somebody has typed since the page was loaded: they are left alone
let review, listens = false

const read = () => JSON.parse(sessionStorage.getItem(STORE) ?? '{}')
const name = field => [...field.closest('[class*="st-key-review-"]').classList].find(one => one.startsWith('st-key-review-'))
const isField = node => node.matches?.(FIELDS) && node.closest('[data-testid="stForm"]') && !node.closest('[data-baseweb="select"]')
const fields = () => [...document.querySelectorAll(FIELDS)].filter(isField)

function keep(key, text) {
  const drafts = read(), own = drafts[review] ??= {}
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
  const author = document.querySelector(AUTHOR), authorName = localStorage.getItem(NAME)
  if (author && authorName && !author.value && !touched.has(AUTHOR)) type(author, authorName)
  const own = read()[review] ?? {}
  for (const field of fields()) {
    const key = name(field)
    if (own[key] && own[key] !== field.value && !touched.has(review + key)) type(field, own[key])
  }
}

// `saved` is the key of a field whose text the last run has saved.
export default function({data: {review: link, saved}}) {
  review = link
  if (!listens) {
    listens = true
    document.addEventListener('input', event => {
      if (event.isTrusted && event.target.matches(AUTHOR)) {
        touched.add(AUTHOR)
        localStorage.setItem(NAME, event.target.value)
      }
      if (!event.isTrusted || !isField(event.target)) return
      touched.add(review + name(event.target))
      keep(name(event.target), event.target.value)
    })
  }
  if (saved) {
    const key = `st-key-${saved.trim().replace(/[^a-zA-Z0-9_-]/g, '-')}`  // as Streamlit names the class of its field
    touched.add(review + key)
    keep(key, '')
  }
  for (const wait of WAITS) setTimeout(restore, wait)
}
