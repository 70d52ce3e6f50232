import { OperatorApi } from "@bursar/api/OperatorApi"
import { type Operation, operationsOf } from "@bursar/api/openapi/Operation"
import type { Api } from "./client.ts"

/** The name of an endpoint of the contract, such as `webhooks.resend`. */
export type ActionName = { [G in keyof Api & string]: `${G}.${keyof Api[G] & string}` }[keyof Api & string]

/** The function of the client that calls an endpoint; undefined for what calls none. */
export type ActionCall<N extends ActionName | null> = N extends `${infer G}.${infer E}`
  ? G extends keyof Api
    ? E extends keyof Api[G]
      ? Api[G][E]
      : never
    : never
  : undefined

const operations = new Map(operationsOf(OperatorApi).map((one) => [`${one.group}.${one.endpoint}`, one]))

/** What the contract says of an action: its route, its role, and who has to agree. */
export const actionOf = (name: ActionName): Operation => {
  const found = operations.get(name)
  if (found === undefined) throw new Error(`the contract has no ${name}`)
  return found
}

/** The function that does an action, and says so when it begins to: from then on it may be done. */
export const callOf = <N extends ActionName | null>(api: Api, name: N, begins: () => void): ActionCall<N> => {
  const named = name === null ? undefined : actionOf(name)
  // the contract has named both, and the client is derived from it
  const group = named === undefined ? {} : (api[named.group as keyof Api] as Readonly<Record<string, unknown>>)
  const call = group[named?.endpoint ?? ""] as ((...given: ReadonlyArray<unknown>) => unknown) | undefined
  const told: unknown =
    call === undefined
      ? undefined
      : (...given: ReadonlyArray<unknown>) => {
          begins()
          return call(...given)
        }
  return told as ActionCall<N>
}
