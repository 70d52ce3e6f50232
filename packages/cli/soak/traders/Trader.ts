import { scopes } from "@bursar/api/scopes/Scopes"
import type { OperatorClient } from "@bursar/client/effect"
import { written } from "@bursar/simulation/people/meaning"
import type { PartnerOfWorld } from "@bursar/simulation/people/letIn"
import { Effect } from "effect"
import { getAddress } from "viem"
import { openTenant } from "../../test/support/tenant.ts"
import { freshAddress } from "../../test/support/payer.ts"
import { assets, type Outside } from "../outside/Outside.ts"
import { terms } from "../outside/terms.ts"
import { wide } from "../Partner.ts"

/** A tenant that withdraws, swaps and moves money through a bank. */
export interface Trader extends Pick<PartnerOfWorld, "apiKey" | "clients" | "destination" | "endowed" | "index"> {
  readonly id: string
}

/** The two people whom it takes to open one. */
export interface Office {
  readonly proposer: OperatorClient
  readonly verifier: OperatorClient
}

const policy = {
  ...wide,
  withdrawal_limit_usd: "1000000000",
  withdrawal_review_usd: null,
  destination_cooling_hours: 0,
  slippage_bps: terms.slippageBps
}

const fee = { product: null, currency: null, rail: null, percent: "1", minimum_fee: "0", priority: 1 }

/** How often each has what the simulation gives: enough for a long run. */
const times = 20n

/** Gives it money at the custodian and at the bank, there and in the books. */
const endow = Effect.fnUntraced(function* (
  params: { readonly tenant_id: string },
  { proposer }: Office,
  outside: Outside
) {
  const { bank, currencies, exchange } = outside
  const give = Effect.fnUntraced(function* (
    place: "bank" | "custodian",
    { currency, units }: { readonly currency: string; readonly units: bigint }
  ) {
    if (units === 0n) return
    const amount = written(units, currencies.byCode(currency)?.decimals ?? 0)
    const payload = { currency, amount, against: place, reason: "given" }
    const holder = place === "bank" ? bank : exchange
    holder.endow(currency, units)
    yield* proposer.floats.adjust({ params, headers: {}, payload })
  })
  const endowed = new Map<string, bigint>()
  for (const { bank: atBank, currency, custodian } of assets.endowments) {
    yield* give("custodian", { currency, units: custodian * times })
    yield* give("bank", { currency, units: atBank * times })
    endowed.set(currency, (custodian + atBank) * times)
  }
  return endowed
})

/** Opens a trader: with a key, a fee, money at the custodian and at the bank, and a destination that two people have verified. */
export const openTrader = Effect.fn("soak.openTrader")(function* (index: number, office: Office, outside: Outside) {
  const { proposer, verifier } = office
  const { id } = yield* openTenant(proposer, `trader-${index}`)
  const params = { tenant_id: id }
  yield* proposer.tenants.changeSettings({ params, payload: policy })
  yield* proposer.custody.createFeeRule({ params, payload: fee })
  const { key } = yield* proposer.keys.create({ params, payload: { label: "all", scopes } })
  const destination = getAddress(freshAddress())
  for (const currency of assets.withdrawn) {
    const payload = { currency, address: destination, label: "own" }
    const { id: destination_id } = yield* proposer.custody.proposeDestination({ params, payload })
    yield* verifier.custody.verifyDestination({
      params: { ...params, destination_id },
      payload: { currency, address: destination }
    })
  }
  const endowed = yield* endow(params, office, outside)
  const trader: Trader = { id, index, apiKey: key, destination, endowed, clients: [] }
  return trader
})
