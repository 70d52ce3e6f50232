import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import { makeSigner } from "@bursar/api/signature/signRequest"
import type { OperatorClient } from "@bursar/client/effect"
import type { EvmDevnet } from "@bursar/simulator-evm"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { Effect } from "effect"
import { parseUnits } from "viem"
import { openTenant } from "../test/support/tenant.ts"

/** The currency that is paid out, and its decimals. */
export const currency = "USDT_ETH"
export const decimals = 6

/** The currency that is paid in: another, so that of the first there is only ever less. */
export const paidInCurrency = "ETH"

/** How much the wallet has at the beginning, in whole dollars. */
const funded = 100_000_000n

/** What it has for fees, in whole ether. */
const ether = 1_000_000n

/** Limits that nothing here meets. */
const wide = {
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
  yield* faucet.mint(token, address as Hex, parseUnits(String(funded), decimals)) // an address of this network is hexadecimal
  yield* faucet.rpc("anvil_setBalance", [address, `0x${(ether * 10n ** 18n).toString(16)}`])
  const against = { against: "payout_wallet", reason: "funded" } as const
  for (const credit of [
    { currency, amount: String(funded), ...against },
    { currency: "ETH", amount: String(ether), ...against }
  ]) {
    yield* operator.floats.adjust({ params, headers: {}, payload: credit })
  }
  const keys = yield* Effect.forEach(
    Array.from({ length: keysCount }, (_, index) => index),
    Effect.fnUntraced(function* (index) {
      const made = yield* operator.keys.create({ params, payload: { label: `soak ${index}`, bundle: "chain_payouts" } })
      const { privateJwk, publicJwk } = yield* generateSigningKey
      yield* operator.signingKeys.add({ params, payload: { api_key_id: made.id, public_jwk: publicJwk } })
      return { key: made.key, signer: yield* makeSigner(privateJwk) }
    })
  )
  return { id, readKey: key, keys, token, wallet: address as Hex }
})

/** The tenant of a soak. */
export type Partner = Effect.Success<ReturnType<typeof openPartner>>
