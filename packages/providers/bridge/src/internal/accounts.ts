import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { AccountOrder, AccountState, Incoming } from "@bursar/core/port/FiatProvider"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { Clock, Effect } from "effect"
import type { BridgeOptions } from "../BridgeOptions.ts"
import { amountOf } from "./amounts.ts"
import { type BridgeHttp, expect, isUsedUp, NoAnswer, type NotTaken, shown, toAnswer } from "./BridgeHttp.ts"
import { endOf, moneyOf } from "./holding.ts"
import { momentOf } from "./momentOf.ts"
import { reviewOf } from "./review.ts"
import { Activities, type Activity, Reviewed, VirtualAccount } from "./wire.ts"

const pageSize = 100

/** How far back the events of an account are read in one go. Who asks more seldom than that has to look at Bridge. */
const pagesMax = 50

const dayMs = 86_400_000

/** A payment may be listed a little after one that was delivered later: so much before the newest that was booked is read again. */
const overlapMs = 3_600_000

const reviewed = expect(Reviewed)
const virtualAccount = expect(VirtualAccount)
const activities = expect(Activities)

/** Bridge finds an account under its customer alone, so both make our id of it. */
export const accountId = (customerId: string, id: string): string => `${customerId}/${id}`

const pathOf = (providerAccountId: string): string => {
  const [customerId = "", id = ""] = providerAccountId.split("/")
  return `/customers/${encodeURIComponent(customerId)}/virtual_accounts/${encodeURIComponent(id)}`
}

const statuses: Readonly<Record<string, AccountState["status"]>> = {
  activated: "ACTIVE",
  deactivated: "SUSPENDED",
  closed: "CLOSED",
  rejected: "REJECTED"
}

const stateOf = (customerId: string, account: VirtualAccount): AccountState => {
  const instructions = account.source_deposit_instructions
  return {
    providerAccountId: accountId(customerId, account.id),
    status: statuses[account.status] ?? "PENDING",
    holderName: instructions?.account_holder_name ?? instructions?.bank_beneficiary_name ?? null,
    iban: instructions?.iban ?? null,
    accountNumber: instructions?.account_number ?? instructions?.bank_account_number ?? null,
    sortCode: instructions?.sort_code ?? instructions?.bank_routing_number ?? null,
    bic: instructions?.bic ?? null,
    bankName: instructions?.bank_name ?? null,
    expiresAt: null
  }
}

const providerError = (doing: string) => (error: NoAnswer | NotTaken) =>
  new ProviderError({ provider: "bridge", doing, detail: error._tag === "NoAnswer" ? error.detail : error.reason })

const answeredWith = (what: string) => new NoAnswer({ detail: `reading an account: Bridge answered with ${what}` })

/** An account that says it is of another customer is no answer: what arrives on it is not this one's. */
const ofCustomer = (customerId: string, account: VirtualAccount): Effect.Effect<VirtualAccount, NoAnswer> => {
  const owner = account.customer_id
  return typeof owner === "string" && owner !== customerId
    ? Effect.fail(answeredWith(`${account.id} of ${owner}`))
    : Effect.succeed(account)
}

/** Whether an event says that it is of another account than the one that was asked for. */
const isOfAnother = (
  providerAccountId: string,
  { customer_id: owner, virtual_account_id: account }: Activity
): boolean => {
  const [customerId, id] = providerAccountId.split("/")
  return (typeof account === "string" && account !== id) || (typeof owner === "string" && owner !== customerId)
}

/** Opens accounts and reads them. */
export const makeAccounts = (http: BridgeHttp, { currencies, holdings }: BridgeOptions) => {
  const openAccount = Effect.fn("Bridge.openAccount")(function* (order: AccountOrder) {
    const holding = holdings[order.currency]
    if (holding === undefined) return refused(`nothing at Bridge holds ${order.currency}`)
    const customer = order.providerCustomerId
    const path = `/customers/${encodeURIComponent(customer)}`
    const open = (key: string) =>
      http.post(`${path}/virtual_accounts`, key, {
        source: { currency: order.currency.toLowerCase() },
        destination: endOf(holding)
      })
    return yield* toAnswer(
      Effect.gen(function* () {
        // what Bridge refuses while it reviews, it refuses under the same key for a day
        const known = yield* shown(reviewed("reading a customer", yield* http.get(path)))
        const review = reviewOf(known, order.currency)
        if (review !== undefined) return unknown(review)
        const first = yield* open(order.reference)
        // what was opened under a key from another day was told to nobody, and nothing arrives on it
        const day = Math.floor((yield* Clock.currentTimeMillis) / dayMs)
        const answer = isUsedUp(first) ? yield* open(`${order.reference}-${day}`) : first
        const opened = yield* virtualAccount("opening an account", answer)
        return done(stateOf(customer, yield* ofCustomer(customer, opened)))
      })
    )
  })

  const read = Effect.fnUntraced(function* (providerAccountId: string) {
    const found = yield* virtualAccount("reading an account", yield* http.get(pathOf(providerAccountId)))
    const [customerId = "", id] = providerAccountId.split("/")
    return found.id === id ? yield* ofCustomer(customerId, found) : yield* answeredWith(found.id)
  })

  const account = Effect.fn("Bridge.account")(function* (providerAccountId: string) {
    const [customerId = ""] = providerAccountId.split("/")
    return yield* Effect.mapBoth(read(providerAccountId), {
      onSuccess: (found) => stateOf(customerId, found),
      onFailure: providerError("read an account")
    })
  })

  /** Newest first, down to an hour before the payment `after` was delivered, and without that one. */
  const delivered = Effect.fnUntraced(function* (providerAccountId: string, after: string | null) {
    const found: Array<Activity> = []
    let since: number | undefined
    let cursor: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const answer = yield* http.get(`${pathOf(providerAccountId)}/history`, {
        limit: String(pageSize),
        ...(cursor === undefined ? {} : { starting_after: cursor })
      })
      const { data } = yield* activities("reading what arrived", answer)
      // one event of another account says that the list is not of this one: what it lacks may be this one's
      const anothers = data.find((activity) => isOfAnother(providerAccountId, activity))
      if (anothers !== undefined)
        return yield* new NoAnswer({ detail: `reading what arrived: event ${anothers.id} is of another account` })
      for (const activity of data) {
        if (activity.type !== "payment_processed" || typeof activity.deposit_id !== "string") continue
        const at = momentOf(activity.created_at)
        if (since !== undefined && at < since) return found
        if (activity.deposit_id === after) since = at - overlapMs
        else found.push(activity)
      }
      cursor = data.at(-1)?.id
      if (cursor === undefined) return found
    }
    // all that is new was read
    if (since !== undefined) return found
    return yield* new NoAnswer({ detail: `reading what arrived: more than ${pageSize * pagesMax} events` })
  })

  /**
   * Only what was delivered to us has arrived: until then Bridge may still send it back. Fees of Bridge are taken off. What was delivered in other
   * money than the account's is told as that money; of money that we have no currency for nothing can be told, and it does not hold what came after.
   */
  const incoming = Effect.fn("Bridge.incoming")(
    function* (providerAccountId: string, after: string | null) {
      const events = yield* delivered(providerAccountId, after)
      if (events.length === 0) return []
      const { source_deposit_instructions: instructions } = yield* read(providerAccountId)
      const code = (instructions?.currency ?? "").toUpperCase()
      const arrived: Array<Incoming> = []
      for (const event of events.toReversed()) {
        const held = event.currency ?? ""
        const money = moneyOf(currencies, code, held)
        if (held !== "" && money === undefined) {
          yield* Effect.annotateLogs(Effect.logError("account.payment_in_unknown_currency"), {
            provider: "bridge",
            providerAccount: providerAccountId,
            payment: event.deposit_id ?? event.id,
            amount: event.amount ?? "",
            currency: held,
            expected: code
          })
          continue
        }
        const amount = money === undefined ? undefined : amountOf(currencies, event.amount ?? "", money)
        const arrivedAt = momentOf(event.created_at)
        if (amount === undefined || Number.isNaN(arrivedAt)) {
          return yield* new NoAnswer({ detail: `reading what arrived: event ${event.id} is not understood` })
        }
        const description = event.source?.description ?? event.source?.sender_name ?? ""
        arrived.push({ id: event.deposit_id ?? event.id, providerAccountId, amount, description, arrivedAt })
      }
      return arrived
    },
    Effect.mapError(providerError("read what arrived"))
  )

  return { openAccount, account, incoming }
}
