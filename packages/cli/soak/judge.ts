import type { PartnerClient } from "@bursar/client/effect"
import type { RegisterEntry } from "@bursar/api/wire/Register"
import type { EvmDevnet } from "@bursar/simulator-evm"
import { Effect } from "effect"
import { parseUnits } from "viem"
import { lines, type Made, madeOf } from "../test/support/payer.ts"
import { allDeposits, allEvents, availableOf } from "../test/support/tenant.ts"
import { currency, decimals, paidInCurrency, type Partner } from "./Partner.ts"
import { type Asked, sendPayout } from "./payouts.ts"
import { go, judgeHistory } from "./judgeHistory.ts"
import { judgeReadings, type Reading } from "./readings.ts"

const paidInDecimals = 18

const unitsOf = ({ amount }: { readonly amount: string }): bigint => parseUnits(amount, decimals)

/** What a service is judged by: what was asked of it, what its chain shows, and what it says. */
export interface Ended {
  readonly partner: Partner
  readonly client: PartnerClient
  readonly url: string
  readonly devnet: EvmDevnet.EvmDevnet
  readonly asked: ReadonlyArray<Asked>
  readonly made: ReadonlyArray<Made>
  /** What was available of the currency before anything was asked for, a decimal text. */
  readonly opening: string
  readonly readings: ReadonlyArray<Reading>
}

const idOf = ({ answer }: Asked): string => String(JSON.parse(answer?.text ?? "{}").id)

/** The whole register, read page by page as a partner does. */
const wholeRegister = Effect.fnUntraced(function* (client: PartnerClient) {
  const entries: Array<RegisterEntry> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const query: { readonly limit: number; readonly cursor?: string } =
      cursor === "" ? { limit: 200 } : { limit: 200, cursor }
    const page: { readonly entries: ReadonlyArray<RegisterEntry>; readonly next_cursor: string | null } =
      yield* client.register.list({ query })
    entries.push(...page.entries)
    cursor = page.next_cursor
  }
  return entries
})

/** Each payout that was acknowledged has been paid once, and is answered again as it was. */
const judgePayouts = Effect.fnUntraced(function* ({ asked, devnet, partner, url }: Ended) {
  const wrong: Array<string> = []
  yield* Effect.forEach(
    asked,
    Effect.fnUntraced(function* (one) {
      const paid = yield* devnet.faucet.tokenBalance(partner.token, one.to)
      if (paid !== one.units) wrong.push(`${one.idempotencyKey}: ${one.to} has ${paid} of ${one.units}`)
      const again = yield* sendPayout(partner, url, one)
      if (again.status === 429) return
      if (again.text !== one.answer?.text || !again.replayed) {
        wrong.push(`${one.idempotencyKey} was answered ${one.answer?.text}, and then ${again.status} ${again.text}`)
      }
    }),
    { concurrency: 4, discard: true }
  )
  return wrong
})

const without = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlyArray<string> =>
  [...one].filter((each) => !other.has(each))

/** Every transfer on the chain to a registered address is one deposit, and nothing else is. */
const judgeDeposits = Effect.fnUntraced(function* ({ client, made }: Ended) {
  const deposits = yield* allDeposits(client)
  const [known, found] = [new Set(lines(made)), new Set(lines(deposits.map(madeOf)))]
  return [
    ...(deposits.length === found.size ? [] : ["a transfer is two deposits"]),
    ...without(known, found).map((line) => `no deposit: ${line}`),
    ...without(found, known).map((line) => `nobody paid: ${line}`)
  ]
})

/** The register holds what was asked for and nothing else; what is available is what it leaves; the feed tells each end once. */
const judgeBooks = Effect.fnUntraced(function* ({ asked, client, made, opening, readings }: Ended) {
  const wrong: Array<string> = []
  const entries = yield* wholeRegister(client)
  const ids = new Set(asked.map(idOf))
  const payouts = entries.filter(({ kind }) => kind.toLowerCase() === "chain_payout")
  if (payouts.length !== ids.size) wrong.push(`${ids.size} payouts were acknowledged, ${payouts.length} are registered`)
  for (const { id } of payouts) if (!ids.has(id)) wrong.push(`nobody asked for the payout ${id}`)

  const costs = new Map(payouts.map((one) => [one.id, unitsOf(one.amount) + unitsOf(one.customer_fee)]))
  const spent = asked.map((one) => ({ from: one.since, to: one.until ?? one.since, units: costs.get(idOf(one)) ?? 0n }))
  const first = parseUnits(opening, decimals)
  const left = spent.reduce((rest, { units }) => rest - units, first)
  const available = parseUnits(yield* availableOf(client, currency), decimals)
  if (available !== left) wrong.push(`${available} of ${currency} are available where ${left} are left`)
  wrong.push(...judgeReadings(first, spent, readings))
  if (go !== undefined) wrong.push(...(yield* judgeHistory(go, { opening: first, spent, readings, asked })))

  const paidIn = made.reduce((sum, { units }) => sum + units, 0n)
  const received = parseUnits(yield* availableOf(client, paidInCurrency), paidInDecimals)
  if (received !== paidIn) wrong.push(`${received} of ${paidInCurrency} are available where ${paidIn} came in`)

  const events = yield* allEvents(client)
  events.forEach(({ id }, index) => {
    if (id !== index + 1) wrong.push(`event ${id} stands at place ${index + 1}`)
  })
  const ends = events.filter(({ kind }) => kind === "chain_payout.settled").map(({ resource_id }) => resource_id)
  if (ends.length !== new Set(ends).size) wrong.push("the end of a payout is told twice")
  for (const id of without(ids, new Set(ends))) wrong.push(`the end of the payout ${id} is not told`)
  return wrong
})

/** What is wrong; empty where nothing is. */
export const judge = Effect.fn("soak.judge")(function* (ended: Ended) {
  // payouts first: each is asked for again, which is part of the history
  const found = yield* Effect.all([judgePayouts(ended), judgeDeposits(ended), judgeBooks(ended)])
  return found.flat()
})
