/** What stands above each page, the inspector too. */
export const navigation: readonly { text: string; link: string; target?: string }[] = [
  { text: 'Guides', link: '/guides/first-request' },
  { text: 'Inspector', link: '/inspector/', target: '_self' },
  { text: 'API', link: '/api/' },
  { text: 'Compatibility', link: '/compatibility' },
  { text: 'Speed', link: '/speed' },
  { text: 'Security', link: '/security' },
]
