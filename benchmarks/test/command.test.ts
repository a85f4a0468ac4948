import { expect, test } from 'vitest'
import { readBenchCommand } from '../src/command.ts'
import { topicNames } from '../src/topics.ts'

test('without arguments everything is measured, and the page is written', () => {
  const { names, effort, isWhole } = readBenchCommand([])
  expect(names).toEqual(topicNames)
  expect([effort.name, isWhole]).toEqual(['full', true])
})

test('a quick run, and one of some topics, writes no page', () => {
  expect(readBenchCommand(['--quick'])).toMatchObject({ effort: { name: 'quick' }, isWhole: false })
  expect(readBenchCommand(['tokens', 'signing'])).toMatchObject({
    names: ['signing', 'tokens'],
    isWhole: false,
  })
})

test('a topic that there is not is named', () => {
  expect(() => readBenchCommand(['singing'])).toThrow('there is no topic singing')
})
