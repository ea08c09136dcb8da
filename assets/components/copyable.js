// The clipboard is there for https and this machine only: elsewhere the text is marked, for Ctrl+C.
export default function({data, parentElement}) {
  const [label, text, button, told] = ['p', 'code', 'button', 'span'].map(name => parentElement.querySelector(name))
  const name = word => { button.textContent = word; button.ariaLabel = `${word}: ${data.label}` }
  label.textContent = data.label
  if (data.formatted) text.innerHTML = data.text  // whose names are escaped
  else text.textContent = data.text
  text.parentElement.className = data.prose || data.formatted ? '' : 'code'
  name('Copy')
  button.onclick = async () => {
    getSelection().selectAllChildren(text)
    try { await copy(data) } catch {
      told.textContent = 'Marked: copy it with Ctrl+C'
      return
    }
    name('Copied')
    told.textContent = 'Copied'
    setTimeout(() => { name('Copy'); told.textContent = '' }, 2000)
  }
}

// A word processor takes text/html as what it shows, and an editor takes the plain text.
async function copy({text, formatted}) {
  if (!formatted) return navigator.clipboard.writeText(text)
  const parts = ['text/html', 'text/plain'].map(type => [type, new Blob([text], {type})])
  return navigator.clipboard.write([new ClipboardItem(Object.fromEntries(parts))])
}
