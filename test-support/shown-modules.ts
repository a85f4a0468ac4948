import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Finished, run } from './run-program.ts'

/** A module that a document shows. */
export interface ShownModule {
  readonly file: string
  readonly code: string
}

/** Where modules of documents compile and run. */
export interface ShownModules {
  readonly path: string
  write(): void
  remove(): void
  compile(): Promise<Finished>
  run(file: string, environment?: Readonly<Record<string, string>>): Promise<Finished>
}

const root = join(import.meta.dirname, '..')

const tsconfig = {
  extends: '../../tsconfig.test.json',
  compilerOptions: { composite: false, customConditions: ['@svc/source'], skipLibCheck: true },
  // The last are what the sources declare for a library without types.
  include: ['*.ts', '../../packages/*/src/*.d.ts'],
}

/** A folder in the examples, since their package depends on every other one and on the clients. */
export function shownModules(folder: string, modules: readonly ShownModule[]): ShownModules {
  const path = join(root, 'examples', folder)
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  return {
    path,
    write() {
      remove()
      mkdirSync(path)
      for (const { file, code } of modules) writeFileSync(join(path, file), code)
      writeFileSync(join(path, 'tsconfig.json'), JSON.stringify(tsconfig))
    },
    remove,
    compile() {
      return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', path])
    },
    run(file, environment) {
      const flags = ['--conditions=@svc/source', '--disable-warning=ExperimentalWarning']
      return run(process.execPath, [...flags, join(path, file)], '', environment)
    },
  }
}
