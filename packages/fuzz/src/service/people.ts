import { PrivateJwk } from "@bursar/api/signature/Ed25519"
import { makeSigner, type Signer } from "@bursar/api/signature/signRequest"
import { scopes } from "@bursar/api/scopes/Scopes"
import type { HandshakeTenant } from "@bursar/cli/config/Handshake"
import { Effect, Schema } from "effect"
import { constants, publicEncrypt } from "node:crypto"
import { type Known, makeKnown } from "../generate/Known.ts"
import { networks } from "../generate/wallets.ts"
import { insist } from "./ask.ts"
import { operateFor } from "./operate.ts"
import type { Service } from "./service.ts"

/** A tenant that calls. */
export interface Partner {
  readonly id: string
  readonly slug: string
  /** Keys that open everything: many, since each may call only so often. */
  readonly keys: ReadonlyArray<string>
  /** Keys whose requests may be signed. */
  readonly signingKeys: ReadonlyArray<string>
  /** A key that opens next to nothing, and one that was revoked. */
  readonly weakKey: string
  readonly revokedKey: string
  readonly signer: Signer
  readonly known: Known
  readonly wrap: (secret: Uint8Array) => string
}

/** Limits that nothing here meets. */
const wide = {
  withdrawal_limit_usd: "1000000000",
  destination_cooling_hours: 0,
  payout_limit_usd: null,
  payout_daily_limit_usd: null,
  payout_new_address_limit_usd: null,
  payout_review_usd: null,
  withdrawal_review_usd: null,
  adjustment_review_usd: null
}

/** What a tenant gets of each currency, so that it can ask for much. */
const floats: Readonly<Record<string, { readonly amount: string; readonly against: string }>> = {
  EUR: { amount: "5000000", against: "bank" },
  BTC: { amount: "1000", against: "custodian" },
  ETH: { amount: "1000", against: "custodian" },
  BNB: { amount: "1000", against: "custodian" },
  TRX: { amount: "5000000", against: "custodian" },
  XLM: { amount: "5000000", against: "custodian" },
  USDT_ETH: { amount: "5000000", against: "custodian" },
  USDC_BASE: { amount: "5000000", against: "custodian" },
  USDT_TRON: { amount: "5000000", against: "custodian" },
  USDT_BSC: { amount: "5000000", against: "custodian" }
}

/** Addresses of nobody's, well-formed on the local networks. */
const nobody = {
  evm: "0x000000000000000000000000000000000000dEaD",
  bitcoin: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
  tron: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
  stellar: "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7"
}

/** Where a tenant withdraws what to. */
const destinations: Readonly<Record<string, string>> = {
  BTC: nobody.bitcoin,
  ETH: nobody.evm,
  BNB: nobody.evm,
  TRX: nobody.tron,
  XLM: nobody.stellar,
  USDT_ETH: nobody.evm,
  USDC_BASE: nobody.evm,
  USDT_TRON: nobody.tron,
  USDT_BSC: nobody.evm
}

const apiKeyIdOf = (key: string): string => key.split("_").at(-2) ?? ""

/** The keys of the demo whose requests may be signed. */
const signingKeys = ["all"] as const

/** Gives a demo tenant more keys, wide limits, wallets and money, by the operators' own interface. */
export const openPartner = Effect.fnUntraced(function* (
  service: Service,
  { id, keys: given, signing, slug }: HandshakeTenant,
  keysCount: number
) {
  const { handshake } = service
  const token = handshake.operator_token
  const at = `${handshake.operator_url}/operator/v1/tenants/${id}`
  const operate = operateFor(service, id)
  yield* operate("/settings", wide)
  const { body: kept } = yield* insist("GET", `${at}/wallets`, { token })
  for (const network of networks) {
    if (!JSON.stringify(kept).includes(`"network":"${network}"`)) yield* operate("/wallets", { network })
  }
  for (const [currency, { against, amount }] of Object.entries(floats)) {
    yield* operate("/float-adjustments", { currency, amount, against, reason: "to be fuzzed" })
  }
  const there = yield* insist("GET", `${at}/destinations`, { token })
  const decided = new Set(JSON.stringify(there.body).match(/"currency":"\w+"/gu))
  for (const [currency, address] of Object.entries(destinations)) {
    if (decided.has(`"currency":"${currency}"`)) continue
    const { body } = yield* operate("/destinations", { currency, address, label: "Treasury" })
    if (typeof body.id === "string")
      yield* operate(`/destinations/${body.id}/verify`, { currency, address: body.address }, "bob")
  }
  const newKey = (wanted: ReadonlyArray<string>) =>
    Effect.map(operate("/keys", { label: "fuzz", scopes: wanted }), ({ body }): string => body.key)
  const jwk = yield* Schema.decodeUnknownEffect(PrivateJwk)(signing.private_jwk)
  const keys = yield* Effect.forEach(Array.from({ length: keysCount }), () => newKey(scopes))
  const revokedKey = yield* newKey(scopes)
  yield* operate(`/keys/${apiKeyIdOf(revokedKey)}/revoke`)
  const wrapping = yield* insist("GET", `${handshake.partner_url}/v1/deposit-keys/wrapping-key`, {
    token: given["all"] ?? ""
  })
  const oaep = { key: String(wrapping.body.public_key), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }
  const partner: Partner = {
    id,
    slug,
    keys,
    signingKeys: signingKeys.map((name) => given[name] ?? ""),
    weakKey: given["introspection"] ?? "",
    revokedKey,
    signer: yield* makeSigner(jwk),
    known: makeKnown(),
    wrap: (secret) => publicEncrypt(oaep, secret).toString("base64")
  }
  return partner
})
