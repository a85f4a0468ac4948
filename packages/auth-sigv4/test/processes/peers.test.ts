import { beforeAll, describe, expect, test } from 'vitest'
import { generatedCases } from '../peers/cases.ts'
import { type Signed, signOurs } from '../peers/ours.ts'
import { peers, type PeerSignature } from '../peers/peers.ts'
import { rules } from '../peers/rules.ts'
import { engines } from '../support/signing.ts'
import { atNight } from '../../../../tests/support/nightly.ts'
import { hasBotocore } from '../oracle/botocore.ts'

const count = atNight(3000, 800)

describe(`${count} generated requests`, () => {
  const cases = generatedCases(count)
  let byEngine: readonly (readonly Signed[])[] = []
  let signed: readonly Signed[] = []

  beforeAll(async () => {
    byEngine = await Promise.all(
      engines.map((engine) => Promise.all(cases.map((given) => signOurs(given, engine)))),
    )
    signed = byEngine[0] ?? []
  })

  test('are signed and sent alike by all engines', () => {
    // As text, which is compared sooner.
    const [native, ...others] = byEngine.map((all) => JSON.stringify(all))
    expect(others.map((other) => other === native)).toEqual([true, true, true])
  })

  describe.each(peers)('by $name', (peer) => {
    const known = rules[peer.name]
    let theirs: readonly PeerSignature[] = []

    beforeAll(async () => {
      if (peer.name !== 'botocore' || hasBotocore()) theirs = await peer.sign(signed)
    })

    test.skipIf(peer.name === 'botocore' && !hasBotocore())(
      'have our signature, but where a rule says why not',
      () => {
        expect(theirs).toHaveLength(signed.length)
        const unexplained = signed.flatMap((ours, index) => {
          const reasons = known.filter((rule) => rule.applies(ours)).map(({ why }) => why)
          const differs = theirs[index] !== ours.signature
          if (differs === reasons.length > 0) return []
          const { given, url } = ours
          return [{ differs, reasons, theirs: String(theirs[index]), given, url: url.href }]
        })
        expect(unexplained).toEqual([])
      },
    )

    test.each(known)('rule: $why', (rule) => {
      const others = known.filter((other) => other !== rule)
      const alone = signed.filter(
        (ours) => rule.applies(ours) && !others.some((other) => other.applies(ours)),
      )
      expect(alone.length).toBeGreaterThan(0)
    })
  })

  test('are sent to services other than s3 with escaped and with repeated slashes', () => {
    const paths = signed.flatMap(({ given, url }) => (given.service === 's3' ? [] : [url.pathname]))
    for (const pattern of [/%2F/, /%2f/, /\/\//, /%41/, /%7e/]) {
      expect(paths.filter((path) => pattern.test(path)).length).toBeGreaterThan(5)
    }
  })

  test('are mostly such as every peer signs as we do', () => {
    for (const known of Object.values(rules)) {
      const plain = signed.filter((ours) => !known.some((rule) => rule.applies(ours)))
      expect(plain.length).toBeGreaterThan(cases.length / 2)
    }
  })
})
