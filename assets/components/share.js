// The clipboard is there for https and this machine only: elsewhere the browser shows the link, marked.
export default function({parentElement}) {
  const [button, told] = ['button', 'span'].map(name => parentElement.querySelector(name))
  const name = word => { button.textContent = word; button.ariaLabel = word === 'Share' ? 'Share: copy the link' : word }
  name('Share')
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(location.href) } catch {
      prompt('The link to this page. Copy it with Ctrl+C.', location.href)
      return
    }
    name('Link copied')
    told.textContent = 'Link copied'
    setTimeout(() => { name('Share'); told.textContent = '' }, 2000)
  }
}
