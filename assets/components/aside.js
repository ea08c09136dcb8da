// The session knows best which choices it stored itself. The tab sends it the others once: a second message could bring
// back what the controls showed before the first message arrived.
let told
export default function({data: {session, sets, along}, setStateValue}) {
  const search = new URLSearchParams(location.search)
  for (const [key, text] of Object.entries(along)) if (text && !search.has(key)) {
    search.set(key, text)
    history.replaceState(history.state, '', `?${search}`)
  }
  const key = 'mtsig_aside'
  const kept = JSON.parse(sessionStorage.getItem(key) ?? '{}')
  sessionStorage.setItem(key, JSON.stringify({...kept, ...sets}))
  if (told === session) return
  told = session
  if (Object.keys(kept).some(set => !(set in sets))) setStateValue('kept', {...kept, ...sets})
}
