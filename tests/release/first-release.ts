import { describe, expect, onTestFinished, test } from 'vitest'
import type { Play } from './play.ts'
import { all, names, ownDependencies } from './stage.ts'
import { hasJq, runTagJob } from './tag-job.ts'

/** The first version of every package, published in two attempts. */
export function describeFirstRelease(play: Play): void {
  describe('the first release', () => {
    let changed: readonly string[]

    test('the pull request with the versions gives every package 0.1.0 and a changelog', async () => {
      changed = await play.stage.maintainer.version()
      const folders = names.map((name) => name.replace('@svc/', 'packages/'))
      const used = changed.filter((line) => line.startsWith('D\t.changeset/'))
      // Once they have lost the note that npm has no packages yet, no version changes them.
      const noted = changed.filter((line) => /^M\t.+\.md$/.test(line))
      const written = changed.filter((line) => ![...used, ...noted].includes(line))
      expect(written.map((line) => line.replace('\t', ' ')).sort()).toEqual(
        [
          ...folders.map((path) => `A ${path}/CHANGELOG.md`),
          ...folders.map((path) => `M ${path}/package.json`),
          'M packages/auth-token/src/version.ts',
        ].sort(),
      )
      expect(used).toContain('D\t.changeset/first.md')
      expect(await play.stage.maintainer.versions()).toEqual(all('0.1.0'))
      expect(await play.stage.maintainer.git('status', '--porcelain')).toBe('')
      expect(await play.stage.maintainer.read('packages/auth-token/src/version.ts')).toContain(
        `'0.1.0'`,
      )
    })

    test('what it leaves is formatted, and the lockfile is right', async () => {
      const files = changed.filter((line) => !line.startsWith('D')).map((line) => line.slice(2))
      const { status, stdout, stderr } = await play.stage.maintainer.script(
        'format:check',
        ...files,
      )
      expect([status, `${stdout}${stderr}`]).toEqual([0, expect.anything()])
      await play.stage.maintainer.checkLockfile()
    })

    test('a changelog names what changed and which of our packages it needs, and no commit', async () => {
      const text = await play.stage.maintainer.read('packages/auth-sigv4/CHANGELOG.md')
      expect(text).toMatch(/^# @svc\/auth-sigv4\n\n## 0\.1\.0\n\n### Changes\n\n- /)
      expect(text).toContain('\n- The first version:\n\n  - with an item\n')
      expect(text).toMatch(
        /\n\n### Dependencies\n\n- `@svc\/auth-hooks` 0\.1\.0\n- `@svc\/types` 0\.1\.0\n$/,
      )
      for (const name of names) {
        const changelog = await play.stage.maintainer.read(`packages/${name.slice(5)}/CHANGELOG.md`)
        expect(changelog).not.toMatch(
          /^- [0-9a-f]{7}: |Updated dep|(?:Minor|Patch) Changes|[ \t]$/m,
        )
      }
    })

    test(
      'a publish that is refused in the middle says so, and leaves nothing that cannot be installed',
      { timeout: 120_000 },
      async () => {
        const relent = play.stage.registry.failFor('@svc/auth-token', 'refused')
        onTestFinished(relent)
        const { status, stdout, stderr } = await play.stage.maintainer.script('release')
        expect(status).toBe(1)
        expect(`${stdout}${stderr}`).toContain('@svc/auth-token@0.1.0')
        expect(stderr).toContain('Not everything was published.')
        expect(stderr).toContain('run the same command or job again on the same commit')
        const there = await play.stage.published()
        expect(there.map(({ name }) => name)).not.toContain('@svc/auth-token')
        expect(there.length).toBeGreaterThan(2)
        const needed = there.flatMap(ownDependencies).map(([name]) => name)
        expect(needed.filter((name) => !there.some((one) => one.name === name))).toEqual([])
      },
    )

    test('the same command publishes what is missing', { timeout: 120_000 }, async () => {
      const { status, stdout, stderr } = await play.stage.maintainer.script('release')
      expect([status, stderr]).toEqual([0, expect.not.stringContaining('Not everything')])
      expect(stdout).toContain('@svc/auth-token@0.1.0')
      expect(await play.latest()).toEqual(all('0.1.0'))
    })

    test('what is published names its dependencies by caret ranges, and where it comes from', async () => {
      const there = await play.stage.published()
      expect([...new Set(there.flatMap(ownDependencies).map(([, range]) => range))]).toEqual([
        '^0.1.0',
      ])
      const repository = 'git+https://github.com/svc-auth/svc-auth.git'
      for (const { name, ...manifest } of there) {
        const directory = `packages/${name.slice(5)}`
        expect(manifest.repository).toEqual({ type: 'git', url: repository, directory })
        expect(manifest.homepage).toBe(
          `https://github.com/svc-auth/svc-auth/tree/main/${directory}#readme`,
        )
        // The page of npm shows it, where a relative link leads nowhere.
        const readme = (await play.stage.registry.find(name))?.readme
        expect(readme).toContain(`# ${name}\n`)
        expect(readme).not.toMatch(/\]\((?!https:|#)/)
      }
    })

    test.skipIf(!hasJq)(
      'the workflow makes a release of each, with its part of the changelog',
      async () => {
        const notes = await runTagJob(play.stage.maintainer, play.stage.folder)
        expect(Object.keys(notes)).toEqual(all('0.1.0'))
        expect(notes['@svc/service-auth@0.1.0']).toMatch(
          /^\n### Changes\n\n- [^]+\n### Dependencies\n/,
        )
      },
    )
  })
}
