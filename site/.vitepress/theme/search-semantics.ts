/**
 * Corrects the roles of the search while it is open: VitePress makes it a button that holds buttons, and each result
 * an option that holds a link. It becomes a dialog with a list of links, which is what it is.
 *
 * @returns What ends the corrections.
 */
export function correctSearch(): () => void {
  const observer = new MutationObserver(() => {
    const box = document.querySelector('.VPLocalSearchBox')
    if (box) correct(box)
  })
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    // It sets these anew for each choice and each result.
    attributeFilter: ['role', 'aria-selected', 'aria-label', 'aria-owns'],
  })
  return () => {
    observer.disconnect()
  }
}

function correct(box: Element): void {
  if (box.getAttribute('role') !== 'dialog') {
    box.setAttribute('role', 'dialog')
    box.setAttribute('aria-modal', 'true')
  }
  remove(box, ['aria-expanded', 'aria-haspopup', 'aria-owns'])
  for (const list of box.querySelectorAll('.results')) remove(list, ['role'])
  for (const item of box.querySelectorAll('.results > li')) remove(item, ['role', 'aria-selected'])
  for (const link of box.querySelectorAll('.results a')) remove(link, ['aria-label'])
  // A key shows an icon, and only a picture may have a name.
  for (const key of box.querySelectorAll('kbd[aria-label]:not([role])'))
    key.setAttribute('role', 'img')
}

function remove(element: Element, names: readonly string[]): void {
  for (const name of names) {
    // To take away what is not there would be observed as well.
    if (element.hasAttribute(name)) element.removeAttribute(name)
  }
}
