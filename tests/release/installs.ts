import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator, defaultUsers } from '@svc/emulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type FirstService, firstRequests } from '../support/first-use.ts'
import { bun, deno } from '../support/other-runtimes.ts'
import { outputIn } from '../support/run-program.ts'
import { firstSnippets } from './first-snippets.ts'
import { type Command, npm, withBun, withDeno } from './installers.ts'
import { installersHere, type Play } from './play.ts'
import { libraries } from './stage.ts'
import { withoutNpm } from './without-npm.ts'

const start = firstSnippets.find(({ readme }) => readme.includes('/service-auth/'))
const packagesOfAll = [...new Set(firstSnippets.flatMap(({ imports }) => imports))]

/** Users who install the packages by their names, in empty projects, and do what the READMEs begin with. */
export function describeInstalls(play: Play): void {
  describe('installed by name', () => {
    test('every README of a package begins with a snippet that is tried here', () => {
      expect(firstSnippets.map(({ readme }) => readme)).toEqual(
        libraries.map((name) => `packages/${name.slice(5)}/README.md`),
      )
    })

    test.each(installersHere)(
      'with $name, the first snippet of service-auth runs',
      { timeout: 120_000 },
      async (installer) => {
        const consumer = await play.stage.createConsumer(installer.name, installer)
        play.consumers.set(installer.name, consumer)
        await consumer.add('@svc/service-auth')
        expect(await consumer.run(start?.code(play.stage.service) ?? '')).toBe(start?.printed)
        expect(play.stage.service.arrived()).toEqual(firstRequests)
      },
    )

    test.each(installersHere)(
      'with $name, the first snippet of every README runs, and there is one copy of each package',
      { timeout: 120_000 },
      async ({ name }) => {
        const consumer = play.consumer(name)
        await consumer.add(...packagesOfAll)
        await play.runSnippets(consumer)
        expect(consumer.copies()).toEqual(libraries.map((one) => `${one}@0.1.0`))
      },
    )
  })

  describe('the command', () => {
    test(
      'npx runs it by its name, without the keyring, which is optional',
      { timeout: 60_000 },
      async () => {
        const emulator = await createEmulator().listen()
        onTestFinished(() => emulator.close())
        const home = join(play.stage.folder, 'npx')
        await mkdir(home)
        const [{ username, password }] = defaultUsers
        const environment = {
          ...withoutNpm,
          ...npm.settings(play.stage.registry.url, home),
          SVC_AUTH_BASE_URL: emulator.baseUrl,
          SVC_AUTH_USERNAME: username,
          SVC_AUTH_PASSWORD: password,
        }
        const svcAuth: Command = ['npx', '--yes', '@svc/cli']
        const groups = await outputIn(home, [...svcAuth, 'fetch', '/user/groups'], environment)
        expect(JSON.parse(groups)).toEqual(defaultUsers[0].groups)
        expect(await outputIn(home, [...svcAuth, '--version'], environment)).toBe('0.1.0\n')
      },
    )
  })

  describe.skipIf(!withBun.isThere)('compiled by Bun', () => {
    test('the first snippet of service-auth is a program that runs alone', async () => {
      const { path } = play.consumer('Bun')
      await outputIn(path, [bun, 'build', '--compile', 'snippet.mjs', '--outfile', 'program'])
      expect(await runAlone(join(path, 'program'), play.stage.service)).toBe(start?.printed)
      expect(play.stage.service.arrived()).toEqual(firstRequests)
    })
  })

  describe.skipIf(!withDeno.isThere)('compiled by Deno', () => {
    const compile: Command = [deno, 'compile', '--allow-net', '--allow-env']
    const compileTo = (program: string): Command => [...compile, '--output', program, 'snippet.mjs']

    test('the first snippet of service-auth is a program that holds everything', async () => {
      const { path, settings } = play.consumer('Deno')
      // Another program stands in for the part of Deno that no registry has, so this one is not run.
      await outputIn(path, compileTo('program'), { ...settings, DENORT_BIN: '/bin/true' })
      const program = await readFile(join(path, 'program'), 'latin1')
      const marks = ["process.env['SVC_PASSWORD']", '/user/login', 'AWS4-HMAC-SHA256']
      expect(marks.filter((mark) => !program.includes(mark))).toEqual([])
    })

    // It downloads that part.
    test.runIf(process.env['DENO_COMPILE'] === '1')(
      'it runs alone',
      async () => {
        const { path } = play.consumer('Deno')
        await outputIn(path, compileTo('alone'))
        expect(await runAlone(join(path, 'alone'), play.stage.service)).toBe(start?.printed)
        expect(play.stage.service.arrived()).toEqual(firstRequests)
      },
      120_000,
    )
  })
}

/** Runs a program in a folder where nothing else is. */
async function runAlone(program: string, { environment }: FirstService): Promise<string> {
  const alone = await mkdtemp(join(tmpdir(), 'alone-'))
  onTestFinished(() => rm(alone, { recursive: true }))
  await cp(program, join(alone, 'program'))
  return outputIn(alone, [join(alone, 'program')], environment)
}
