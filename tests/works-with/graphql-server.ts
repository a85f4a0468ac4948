import { buildSchema, graphql } from 'graphql'

const schema = buildSchema('type Query { groups: [String!]! }')

/** The groups that the query reads. */
export const groups = ['Everything', 'Reports']

/** A query that every GraphQL client here sends. */
export const groupsQuery = '{ groups }'

/** Responds to GraphQL over HTTP, by GET or POST. */
export async function respondToGraphQL(request: Request): Promise<Response> {
  const inUrl = new URL(request.url).searchParams.get('query')
  // A client of the tests sent it.
  const query = inUrl ?? ((await request.json()) as { query: string }).query
  const result = await graphql({ schema, source: query, rootValue: { groups } })
  return Response.json(result)
}
