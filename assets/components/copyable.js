// The clipboard is there for https and this machine only: elsewhere the text is marked, for Ctrl+C.
export default function({data, parentElement}) {
  const [label, text, button, told] = ['p', 'code', 'button', 'span'].map(name => parentElement.querySelector(name))
  const name = word => { button.textContent = word; button.ariaLabel = `${word}: ${data.label}` }
  label.textContent = data.label
  text.textContent = data.text
  text.parentElement.className = data.prose ? '' : 'code'
  name('Copy')
  button.onclick = async () => {
    getSelection().selectAllChildren(text)
    try { await navigator.clipboard.writeText(data.text) } catch {
      told.textContent = 'Marked: copy it with Ctrl+C'
      return
    }
    name('Copied')
    told.textContent = 'Copied'
    setTimeout(() => { name('Copy'); told.textContent = '' }, 2000)
  }
}
