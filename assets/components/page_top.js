let seen
export default function({data: {page, opened}}) {
  const another = seen && seen.page !== page
  if (another) document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0)
  const side = document.querySelector('[data-testid=stSidebar]')
  if ((another || seen && seen.opened !== opened) && innerWidth < 768 && side?.getBoundingClientRect().right > 0)
    side.querySelector('[data-testid=stSidebarCollapseButton] button')?.click()
  seen = {page, opened}
  document.body.classList.toggle('mt-embedded', new URLSearchParams(location.search).get('embed') === 'true')
}
