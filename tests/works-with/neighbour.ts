/** A library, framework or tool that is used beside the packages. */
export interface Neighbour {
  readonly name: string
  /** The packages whose versions the page names. */
  readonly packages: readonly string[]
  /** The test, by its path in `tests`. Those in `neighbours` run every night. */
  readonly test: string
  /** The file with the code that the page shows, where it is not the test itself. */
  readonly source?: string
  /** The name of the region with that code, or of the file that a document shows. */
  readonly region: string
  /** What is particular to it: above all, what does not work. */
  readonly notes?: readonly string[]
}

/** The neighbours of one kind. */
export interface Topic {
  readonly title: string
  /** What each test tries. */
  readonly tried: string
  readonly neighbours: readonly Neighbour[]
}
