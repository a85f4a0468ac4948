import { expect, test } from 'vitest'
import { readCommand } from '../src/command.ts'
import { topicNames } from '../src/topics.ts'

test('without arguments everything is measured, and the page is written', () => {
  const { names, effort, isWhole } = readCommand([])
  expect(names).toEqual(topicNames)
  expect([effort.name, isWhole]).toEqual(['full', true])
})

test('a quick run, and one of some topics, writes no page', () => {
  expect(readCommand(['--quick'])).toMatchObject({ effort: { name: 'quick' }, isWhole: false })
  expect(readCommand(['tokens', 'signing'])).toMatchObject({
    names: ['signing', 'tokens'],
    isWhole: false,
  })
})

test('a topic that there is not is named', () => {
  expect(() => readCommand(['singing'])).toThrow('there is no topic singing')
})
