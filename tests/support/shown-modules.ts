import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Finished, run } from './run-program.ts'

/** A module that a document shows. */
export interface ShownModule {
  readonly file: string
  readonly code: string
}

/** A folder in which modules of documents compile and run. */
export interface ShownModules {
  readonly path: string
  /** Writes them, with their code as `adapt` returns it. */
  write(adapt?: (code: string) => string): void
  remove(): void
  compile(): Promise<Finished>
  /** By Node, where no other command is given. */
  run(
    file: string,
    environment?: Readonly<Record<string, string>>,
    command?: readonly [program: string, ...args: string[]],
  ): Promise<Finished>
}

const root = join(import.meta.dirname, '../..')
const node = [
  process.execPath,
  '--conditions=@svc/source',
  '--disable-warning=ExperimentalWarning',
] as const

const tsconfig = {
  extends: '../../tsconfig.test.json',
  compilerOptions: { composite: false, skipLibCheck: true },
  // The last are what the sources declare for a library without types.
  include: ['*.ts', '../../packages/*/src/**/*.d.ts'],
}

/** A folder in the examples, since their package depends on every other one and on the clients. */
export function shownModules(folder: string, modules: readonly ShownModule[]): ShownModules {
  const path = join(root, 'examples', folder)
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  return {
    path,
    write(adapt = (code) => code) {
      remove()
      mkdirSync(path)
      for (const { file, code } of modules) writeFileSync(join(path, file), adapt(code))
      writeFileSync(join(path, 'tsconfig.json'), JSON.stringify(tsconfig))
    },
    remove,
    compile() {
      return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', path])
    },
    run(file, environment, [program, ...args] = node) {
      return run(program, [...args, join(path, file)], '', environment)
    },
  }
}
