import type { Effect, Stream } from "effect"
import type { PartnerClient } from "../PartnerClient.ts"
import { eachOf } from "./eachOf.ts"
import { pagers } from "./pagers.ts"

type Paged = keyof typeof pagers
type List<Group extends Paged> = PartnerClient[Group]["list"]
type Query<Group extends Paged> = Parameters<List<Group>>[0]["query"]
type Failure<Group extends Paged> = Effect.Error<ReturnType<List<Group>>>
type Item<Group extends Paged> = ReturnType<(typeof pagers)[Group]["items"]>[number]
type Items<Group extends Paged> = Stream.Stream<Item<Group>, Failure<Group>>

/** Every deposit with a `change_seq` after that of the query, in their order; a page is read when it is needed. */
export const eachDeposit = (client: PartnerClient, query: Query<"deposits"> = {}): Items<"deposits"> =>
  eachOf(pagers.deposits, (page: Query<"deposits">) => client.deposits.list({ query: page }), query)

/** Every address that fits the query; a page is read when it is needed. */
export const eachDepositAddress = (
  client: PartnerClient,
  query: Query<"depositAddresses"> = {}
): Items<"depositAddresses"> =>
  eachOf(
    pagers.depositAddresses,
    (page: Query<"depositAddresses">) => client.depositAddresses.list({ query: page }),
    query
  )

/** Every event after that of the query, in their order, up to the last there is; a page is read when it is needed. */
export const eachEvent = (client: PartnerClient, query: Query<"events"> = {}): Items<"events"> =>
  eachOf(pagers.events, (page: Query<"events">) => client.events.list({ query: page }), query)

/** Every operation that fits the query, newest first; a page is read when it is needed. */
export const eachRegisterEntry = (client: PartnerClient, query: Query<"register"> = {}): Items<"register"> =>
  eachOf(pagers.register, (page: Query<"register">) => client.register.list({ query: page }), query)
