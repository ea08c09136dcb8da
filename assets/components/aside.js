// The session knows better what it has put aside itself; the tab tells it the rest, once: a second word would come with
// what the controls showed before the first was heard.
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
