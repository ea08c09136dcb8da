// The cookie that is there stays, as when two tabs ask at once; Python hears which it is.
export default function({data, setStateValue}) {
  const found = document.cookie.match(/(?:^|; )mtsig_browser=([\w-]{20,64})(?:;|$)/)
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const value = found ? found[1] : data
  document.cookie = `mtsig_browser=${value}; Max-Age=34560000; Path=/; SameSite=Lax${secure}`
  if (value !== data) setStateValue('known', value)
}
