// A provider sends everybody back to the first page: the tab keeps where it was before, and goes there once. Who comes
// to the first page by no link, as the end of another account's login is one, wants nothing else any more.
export default function({data}) {
  const here = location.pathname + location.search, kept = sessionStorage
  if (data === 'go') {
    const back = kept.getItem('mtsig_back')
    kept.removeItem('mtsig_back')
    if (back && back !== here) location.replace(location.origin + back)
  }
  else if (data === 'other') window.mtsig_other = true
  else if (here !== '/') kept.setItem('mtsig_back', here)
  else if (!document.referrer && !window.mtsig_other) kept.removeItem('mtsig_back')
}
