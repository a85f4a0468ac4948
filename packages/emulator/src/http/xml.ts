const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // A parser turns a bare carriage return into a line feed.
  '\r': '&#13;',
}

/** Text as it stands in an element or an attribute. */
function escapeXml(text: string): string {
  return (
    text
      .replace(/[&<>"'\r]/g, (character) => entities[character] ?? character)
      // XML 1.0 has no way to write these.
      .replace(/\p{Cc}/gu, (character) => (isXmlCharacter(character) ? character : '\ufffd'))
  )
}

/** One element after the other, each with its text. */
export function xmlElements(
  elements: readonly (readonly [element: string, text: string])[],
): string {
  return elements.map(([element, text]) => `<${element}>${escapeXml(text)}</${element}>`).join('')
}

// The C1 controls are allowed; of the others only tab and line feed reach this line.
function isXmlCharacter(control: string): boolean {
  return control === '\t' || control === '\n' || control >= '\u007f'
}
