import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { makeSigner } from "@bursar/api/signature/signRequest"
import type { OperatorClient } from "@bursar/client/effect"
import type { EvmDevnet } from "@bursar/simulator-evm"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { Effect } from "effect"
import { parseUnits } from "viem"
import { openTenant } from "../test/support/tenant.ts"
import { until } from "../test/support/until.ts"

/** The currency that is paid out, and its decimals. */
export const currency = "USDT_ETH"
export const decimals = 6

/** The currency that is paid in: another, so that of the first there is only ever less. */
export const paidInCurrency = "ETH"

/** How much the wallet has at the beginning, in whole dollars. */
const funded = 100_000_000n

/** What it has for fees, in whole ether. */
const ether = 1_000n

/** Limits that nothing here meets. */
export const wide = {
  ip_allowlist: null,
  payout_limit_usd: null,
  payout_daily_limit_usd: null,
  payout_new_address_limit_usd: null,
  payout_review_usd: null,
  adjustment_review_usd: null
}

/** A key may write 120 times a minute: so many let as much through as the service can take here. */
const keysCount = 12

/** Opens a tenant that is paid in and paid out on a local network, with a wallet that has enough. */
export const openPartner = Effect.fn("soak.openPartner")(function* (
  operator: OperatorClient,
  { faucet }: EvmDevnet.EvmDevnet
) {
  const { id, key } = yield* openTenant(operator, "soak")
  const params = { tenant_id: id }
  yield* operator.tenants.changeSettings({ params, payload: wide })
  const { address } = yield* operator.payouts.createWallet({ params, payload: { network: "ethereum" } })
  const token = yield* faucet.token(currency)
  // what is paid before its network is read would not be seen
  yield* until("the network is read", operator.health.networks(), ({ networks }) =>
    networks.some(({ network, scanned_height }) => network === "ethereum" && scanned_height !== null)
  )
  const wallet = address as Hex // an address of this network is hexadecimal
  yield* faucet.sendNative(wallet, ether * 10n ** 18n)
  yield* faucet.mint(token, wallet, parseUnits(String(funded), decimals))
  yield* until("what the wallet was paid is booked", operator.reconciliation.show(), ({ places }) =>
    places.some((one) => one.place === "chain:ethereum:payouts" && one.ledger.amount === String(funded))
  )
  const payload = { currency, amount: String(funded), against: "suspense", reason: "funded" } as const
  yield* operator.floats.adjust({ params, headers: {}, payload })
  const keys = yield* Effect.forEach(
    Array.from({ length: keysCount }, (_, index) => index),
    Effect.fnUntraced(function* (index) {
      const made = yield* operator.keys.create({ params, payload: { label: `soak ${index}`, bundle: "chain_payouts" } })
      const { privateJwk, publicJwk } = yield* generateSigningKey
      yield* operator.signingKeys.add({ params, payload: { api_key_id: made.id, public_jwk: publicJwk } })
      return { key: made.key, signer: yield* makeSigner(privateJwk) }
    })
  )
  return { id, readKey: key, keys, token, wallet }
})

/** The tenant of a soak. */
export type Partner = Effect.Success<ReturnType<typeof openPartner>>
