import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Consumer } from './consumer.ts'
import { npm } from './installers.ts'
import { installersHere, type Play } from './play.ts'
import { all, libraries, ownDependencies } from './stage.ts'
import { hasJq, runTagJob } from './tag-job.ts'

const afterFix = withVersions(all('0.1.0'), { '@svc/auth-hooks': '0.1.1' })
// These two do not depend on what breaks.
const afterBreak = withVersions(all('0.2.0'), { '@svc/emulator': '0.1.0', '@svc/types': '0.1.0' })

/** Releases after the first one, and the users who have it. */
export function describeLaterReleases(play: Play): void {
  describe('a fix in a package that others depend on', () => {
    test('gives a version to it alone', async () => {
      await play.stage.maintainer.change('auth-hooks', 'patch', 'A fault is mended.')
      const changed = await play.stage.maintainer.version()
      expect(changed.map((line) => line.replace(/[\w-]{36}/, 'the-changeset'))).toEqual([
        'D\t.changeset/the-changeset.md',
        'M\tpackages/auth-hooks/CHANGELOG.md',
        'M\tpackages/auth-hooks/package.json',
      ])
      expect(await play.stage.maintainer.read('packages/auth-hooks/CHANGELOG.md')).toMatch(
        /^# @svc\/auth-hooks\n\n## 0\.1\.1\n\n### Fixes and additions\n\n- A fault is mended\.\n\n## 0\.1\.0\n/,
      )
    })

    test(
      'is published alone, and the ranges of all others admit it',
      { timeout: 120_000 },
      async () => {
        const { status } = await play.stage.maintainer.script('release')
        expect(status).toBe(0)
        expect(await play.latest()).toEqual(afterFix)
        const ranges = (await play.stage.published()).flatMap(ownDependencies)
        expect([...new Set(ranges.map(([, range]) => range))]).toEqual(['^0.1.0'])
      },
    )

    test.skipIf(!hasJq)(
      'gets a release of its own from the workflow, with its line alone',
      async () => {
        const notes = await runTagJob(play.stage.maintainer, play.stage.folder)
        expect(Object.keys(notes).sort()).toEqual([...all('0.1.0'), '@svc/auth-hooks@0.1.1'].sort())
        expect(notes['@svc/auth-hooks@0.1.1']).toBe(
          '\n### Fixes and additions\n\n- A fault is mended.\n\n',
        )
      },
    )

    test.each(installersHere)(
      'comes to a user of $name by an update, in one copy, and nothing breaks',
      { timeout: 120_000 },
      async ({ name }) => {
        const consumer = play.consumer(name)
        expect(consumer.copies()).toEqual(librariesOf(all('0.1.0')))
        await consumer.update()
        expect(consumer.copies()).toEqual(librariesOf(afterFix))
        await play.runSnippets(consumer)
      },
    )
  })

  describe('a breaking release of a package that others depend on', () => {
    test('is one of all that depend on it, and their changelogs say so', async () => {
      await play.stage.maintainer.change('auth-hooks', 'minor', '**Breaking:** A name is another.')
      await play.stage.maintainer.version()
      expect(await play.stage.maintainer.versions()).toEqual(afterBreak)
      expect(await play.stage.maintainer.read('packages/service-auth/CHANGELOG.md')).toMatch(
        /^# @svc\/service-auth\n\n## 0\.2\.0\n\n### Changes\n\n- Needs the packages below .+\n\n### Dependencies\n\n- `@svc\/auth-hooks` 0\.2\.0\n/,
      )
    })

    describe('published', () => {
      test(
        'a response that is lost is an error, and nothing is published twice',
        { timeout: 240_000 },
        async () => {
          const relent = play.stage.registry.failFor('@svc/auth-hooks', 'lost')
          onTestFinished(relent)
          const first = await play.stage.maintainer.script('release')
          expect([first.status, first.stderr]).toEqual([1, expect.stringContaining('same commit')])
          relent()
          const second = await play.stage.maintainer.script('release')
          expect([second.status, second.stdout]).toEqual([
            0,
            expect.stringContaining('@svc/cli@0.2.0'),
          ])
          expect(second.stdout).not.toContain('@svc/auth-hooks@0.2.0  ')
          expect(await play.latest()).toEqual(afterBreak)
          const document = await play.stage.registry.find('@svc/auth-hooks')
          expect(Object.keys(document?.versions ?? {})).toEqual(['0.1.0', '0.1.1', '0.2.0'])
        },
      )

      test('every range admits the latest version', async () => {
        const latest = new Map((await play.stage.published()).map((one) => [one.name, one.version]))
        const ranges = (await play.stage.published()).flatMap(ownDependencies)
        expect(ranges.filter(([name, range]) => range !== `^${latest.get(name)}`)).toEqual([])
      })

      test.each(installersHere)(
        'does not come to a user of $name by an update, and does by its name, in one copy',
        { timeout: 120_000 },
        async ({ name }) => {
          const consumer = play.consumer(name)
          await consumer.update()
          expect(consumer.copies()).toEqual(librariesOf(afterFix))
          await consumer.add(...libraries.map((one) => `${one}@latest`))
          expect(consumer.copies()).toEqual(librariesOf(afterBreak))
          await play.runSnippets(consumer)
        },
      )

      // The code of both is the same as long as the record is: then this is where a mixed fleet is tried.
      test('a token that 0.1.0 stored is used by the next version, without a login', async () => {
        const old = await play.stage.createConsumer('old', npm)
        await old.add('@svc/auth-token@0.1.0', '@svc/auth-hooks@0.1.0')
        expect(await send(old, play)).toEqual(['POST /user/login 200', 'GET /user/groups 200'])
        const next = await play.stage.createConsumer('next', npm)
        await next.add('@svc/auth-token@latest')
        expect(await send(next, play)).toEqual(['GET /user/groups 200'])
        expect(await send(old, play)).toEqual(['GET /user/groups 200'])
      })
    })
  })
}

/** Sends one request with a token that is shared through a folder; returns what arrived. */
async function send(consumer: Consumer, { stage }: Play): Promise<readonly string[]> {
  await consumer.run(`
    import { authFetch, createTokenAuth } from '@svc/auth-token'
    import { fileTokenStore } from '@svc/auth-token/file-store'
    const baseUrl = '${stage.service.url}'
    const credentials = { username: 'reader@example.com', password: process.env['SVC_PASSWORD'] }
    const store = fileTokenStore({ path: ${JSON.stringify(join(stage.folder, 'tokens'))} })
    const response = await authFetch(createTokenAuth({ baseUrl, credentials, store }))(baseUrl + '/user/groups')
    console.log(response.status)
  `)
  return stage.service.arrived()
}

/** Returns the packages that a program imports, as a user of all of them has them. */
function librariesOf(packages: readonly string[]): string[] {
  return packages.filter((one) => libraries.some((name) => one.startsWith(`${name}@`)))
}

function withVersions(
  packages: readonly string[],
  changed: Readonly<Record<string, string>>,
): string[] {
  return packages.map((one) => {
    const name = one.replace(/@[^@]+$/, '')
    return `${name}@${changed[name] ?? one.slice(name.length + 1)}`
  })
}
