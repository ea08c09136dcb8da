let seen
const menus = () => document.querySelector('.st-key-menus')
const links = () => [...document.querySelectorAll('[data-testid=stPopoverBody] [data-testid=stPageLink-NavLink]')]

// A menu is at the end of the document: the keyboard gets into it, and along its links.
function moveAlong(event) {
  const here = document.activeElement, isOpen = menus()?.querySelector('[aria-expanded=true]')
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
  if (!isOpen || !step || !(here === isOpen || links().includes(here))) return
  links().at((links().indexOf(here) + step) % links().length).focus()
  event.preventDefault()
}

function enter(event) {
  const isByKey = !event.detail
  if (isByKey && menus()?.contains(event.target)) setTimeout(() => links()[0]?.focus(), 100)
}

document.addEventListener('keydown', moveAlong)
document.addEventListener('click', enter)

export default function({data: {page, opened}}) {
  const another = seen && seen.page !== page
  if (another) {
    document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0)
    menus()?.querySelector('[aria-expanded=true]')?.click()
  }
  const side = document.querySelector('[data-testid=stSidebar]')
  if ((another || seen && seen.opened !== opened) && innerWidth < 768 && side?.getBoundingClientRect().right > 0)
    side.querySelector('[data-testid=stSidebarCollapseButton] button')?.click()
  seen = {page, opened}
  const asked = new URLSearchParams(location.search)
  document.body.classList.toggle('mt-embedded', asked.get('embed') === 'true')
  document.body.classList.toggle('mt-tab', asked.has('tab'))
}
