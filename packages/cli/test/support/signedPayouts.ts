import { keyed } from "./keyed.ts"
import { generateSigningKey, importPublicKey } from "@bursar/api/signature/Ed25519"
import { makeSigner } from "@bursar/api/signature/signRequest"
import { verifyRequest } from "@bursar/api/signature/verifyRequest"
import { Writer } from "@bursar/core/engine/Writer"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import type { Operation } from "@bursar/core/operation/Operation"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { createPayout } from "@bursar/core/payout/createPayout"
import { type PayoutOrder, readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { Tenants } from "@bursar/core/port/Tenants"
import { Vault } from "@bursar/core/port/Vault"
import type { SignatureEvidence } from "@bursar/core/signature/SignatureEvidence"
import { addSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import { addApiKey } from "@bursar/core/access/tenantCommands"
import type { Rate } from "@bursar/core/money/Rate"
import type { Network } from "@bursar/core/money/Network"
import { Clock, Effect, Result } from "effect"
import { localCurrencies, localNetworks } from "./localCurrencies.ts"

/** The public key of a new wallet, of the tenant's seed or in a custody, and where its key is. */
const walletKey = Effect.fnUntraced(function* (tenantId: TenantId, network: Network, custody: string | undefined) {
  const vault = yield* Vault
  if (custody === undefined) {
    const seedId = yield* vault.createSeed(tenantId)
    const publicKey = yield* vault.publicKey({ _tag: "Wallet", tenantId, seedId, network, index: 0 })
    return { publicKey, kept: { seedId } }
  }
  const { keyId, publicKey } = yield* vault.createCustodyKey({ tenantId, network, custody, index: 0 })
  return { publicKey, kept: { custodied: { custody, keyId } } }
})

/** A request for a payout that was signed. */
export interface SignedPayout {
  readonly order: PayoutOrder
  readonly evidence: SignatureEvidence
}

/** The API key of a tenant that payouts are asked for with. */
export interface PayingKey {
  readonly id: TenantId
  readonly apiKeyId: string
  readonly network: Network
}

const path = "/v1/chain-payouts"

/** Asks for payouts as the partner interface does, with a new key that is registered for an API key of a tenant. */
export const signingPair = Effect.fn("signingPair")(function* ({ apiKeyId, id, network }: PayingKey) {
  const [writer, networks] = [yield* Writer, yield* Networks]
  const { keyid, privateJwk, publicJwk } = yield* generateSigningKey
  yield* writer.submit(id, addSigningKey({ apiKeyId, keyid, publicKey: publicJwk.x }))
  const signer = yield* makeSigner(privateJwk)
  const publicKey = yield* importPublicKey(publicJwk)

  /** Signs a request. */
  const sign = Effect.fnUntraced(function* (currency: string, amount: string, to: string) {
    const idempotencyKey = crypto.randomUUID()
    const asked = {
      amount: { amount, currency },
      network,
      destination: { address: to, memo: null },
      reference: idempotencyKey
    }
    const body = Buffer.from(JSON.stringify(asked))
    const fixed = { "content-type": "application/json", "idempotency-key": idempotencyKey, host: "localhost" }
    const request = {
      method: "POST",
      authority: "localhost",
      path,
      idempotencyKey,
      contentType: "application/json",
      body
    }
    const headers: Readonly<Record<string, string>> = { ...fixed, ...(yield* signer.sign(request)) }
    const { outcome } = yield* verifyRequest(
      { method: "POST", target: path, header: (name) => headers[name], body },
      { isOurs: () => true, findKey: () => Effect.succeed(publicKey), now: yield* Clock.currentTimeMillis }
    )
    const { signature, signatureBase } = Result.getOrThrow(outcome)
    const order = Result.getOrThrow(readPayoutOrder(asked, localCurrencies, networks))
    const signed: SignedPayout = {
      order,
      evidence: { keyid, signatureBase, signature, body: body.toString("base64") }
    }
    return signed
  })

  /** Writes a payout for what was signed, under a new idempotency key, at a price if it has one. */
  const book = Effect.fnUntraced(function* ({ evidence, order }: SignedPayout, usd: Rate | null = null) {
    const key = crypto.randomUUID()
    let made: Operation | undefined
    const command = createPayout({
      order,
      account: order.to,
      reference: key,
      tenant: null,
      defaultFees: [],
      usd,
      switchedOff: null,
      evidence,
      madeBy: apiKeyId,
      currencies: localCurrencies
    })
    const render = (operation: Operation) => {
      made = operation
      return { id: operation.id }
    }
    const answered = yield* writer.submit(
      id,
      idempotent({ key, endpoint: `POST ${path}`, fingerprint: key, render, resourceId: (one) => one.id, command })
    )
    return made ?? (yield* Effect.die(new Error(JSON.stringify(answered.outcome))))
  })

  const pay = (currency: string, amount: string, to: string) => Effect.flatMap(sign(currency, amount, to), book)
  return { apiKeyId, keyid, privateJwk, publicKey: publicJwk.x, sign, book, pay }
})

/** A tenant without limits, with a payout wallet on a network, that signs its requests. */
export const signingTenant = Effect.fn("signingTenant")(function* (network: Network, custody?: string) {
  const [writer, tenants] = [yield* Writer, yield* Tenants]
  const networks = yield* Networks
  const id = TenantId(crypto.randomUUID())
  yield* tenants.create({
    id,
    slug: `t-${id}`,
    name: "Payer",
    kind: "SANDBOX",
    status: "ACTIVE",
    policy: {
      ...defaultPolicy,
      payoutLimitUsd: null,
      payoutDailyLimitUsd: null,
      payoutNewAddressLimitUsd: null,
      payoutReviewUsd: null
    },
    createdAt: yield* Clock.currentTimeMillis
  })
  const { kept, publicKey } = yield* walletKey(id, network, custody)
  const [address = ""] = adapterOf(networks, network).keys.addressesOf(publicKey)
  const wallet = yield* writer.submit(
    id,
    addWallet({ network, role: "PAYOUT", ...kept, index: 0, ...keyed(address) }, localNetworks)
  )
  const apiKey = {
    id: crypto.randomUUID().slice(0, 8),
    label: "payer",
    prefix: "t",
    hash: crypto.randomUUID(),
    scopes: [],
    expiresAt: null,
    seal: null
  }
  yield* writer.submit(id, addApiKey(apiKey))
  const pair = yield* signingPair({ id, apiKeyId: apiKey.id, network })
  return { id, wallet, ...pair }
})
