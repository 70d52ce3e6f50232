import { makeIsOurs } from "@bursar/api/signature/isOurs"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { grantedEnvironment } from "@bursar/core/grant/environmentByGrants"
import type { VerifiedChains } from "@bursar/core/grant/Grants"
import {
  chainsObjection,
  grantedSigningKeys,
  leavingObjection,
  type OwnPayments,
  ownPaymentObjection
} from "@bursar/core/grant/signingByGrants"
import type { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import type { PayoutOrder } from "@bursar/core/payout/PayoutOrder"
import type { Payment, Trustline } from "@bursar/core/port/ChainSender"
import { KeyCustodies } from "@bursar/core/port/KeyCustody"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { Networks, parseAddress } from "@bursar/core/port/Networks"
import type { KeyRef, VaultError } from "@bursar/core/port/Vault"
import { Tenants } from "@bursar/core/port/Tenants"
import {
  type KeyedAddress,
  SigningRefused,
  type SignTransaction,
  tooLate,
  TransactionSigner
} from "@bursar/core/port/TransactionSigner"
import type { Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Layer, Result } from "effect"
import { askedFor, type Reading } from "./internal/askedFor.ts"
import { sealedKeys } from "./internal/sealedKeys.ts"
import type { MasterKeys } from "./MasterKeys.ts"

/** What a signer goes by. */
export interface SignerOptions {
  readonly currencies: CurrencyTable
  /** The authorities under which partners reach the service. Where there are none, requests count that were signed for this machine itself. */
  readonly publicAuthorities?: ReadonlyArray<string>
  /** Instead of the networks' own (`NetworkLimits.feeMax`), by network. */
  readonly feeCaps?: Readonly<Record<Network, bigint>>
  /** Whose word counts instead of the rows about signing keys, wallets and what may leave. Where absent, the rows decide. */
  readonly grants?: VerifiedGrants
}

/** What verified grants say of a tenant now. */
export interface VerifiedGrants {
  readonly stateOf: (tenantId: TenantId) => Effect.Effect<VerifiedChains, GrantChainBroken | StorageError | VaultError>
}

/** The public side of a key. */
interface Derived {
  readonly publicKey: Uint8Array
  readonly addresses: ReadonlyArray<string>
}

/** When to ask again where a chain of grants does not hold: that is about no single payment, and is over once the chain is mended. */
const chainRetryMs = 600_000

/** When to ask again for what could not be signed in time. */
const lateRetryMs = 10_000

/** Keys whose public side is remembered: deriving one takes a millisecond. */
const rememberedMax = 10_000

const sameMemo = (one: Payment["memo"], other: Payment["memo"]): boolean =>
  one?.type === other?.type && one?.value === other?.value

const isThat = (network: Network, payment: Payment, order: PayoutOrder): boolean =>
  order.network === network &&
  order.contract === payment.contract &&
  order.units === payment.units &&
  order.to === payment.to &&
  sameMemo(order.memo, payment.memo)

/** The keys that a signer signs with, by their addresses. */
const makeOwnKeys = (
  { publicKey: publicKeyOf }: Pick<ReturnType<typeof sealedKeys>, "publicKey">,
  networks: Networks["Service"]
) => {
  const known = new Map<string, Derived>()
  const derive = Effect.fnUntraced(function* (key: KeyRef) {
    const name = JSON.stringify(key)
    const there = known.get(name)
    if (there !== undefined) return there
    const publicKey = yield* publicKeyOf(key)
    const made: Derived = { publicKey, addresses: networks.get(key.network)?.keys.addressesOf(publicKey) ?? [] }
    if (known.size >= rememberedMax) known.clear()
    known.set(name, made)
    return made
  })

  /** Those of some addresses that have the keys that they are said to have. */
  const derived = Effect.fnUntraced(function* (
    { network, tenantId }: { readonly network: Network; readonly tenantId: TenantId },
    all: ReadonlyArray<KeyedAddress>
  ) {
    const found = new Map<string, KeyedAddress>()
    for (const one of all) {
      if (one.key.tenantId !== tenantId || one.key.network !== network) continue
      if ((yield* derive(one.key)).addresses.includes(one.address)) found.set(one.address, one)
    }
    return found
  })

  return { derive, derived }
}

/** What the payments of a transaction are judged by. */
interface Judging
  extends Pick<ReturnType<typeof makeOwnKeys>, "derived">, Pick<Reading, "currencies" | "isOurs" | "networks"> {
  readonly tenant: Tenant | undefined
  /** Those of rows; none where grants decide. */
  readonly storedKeys: Reading["signingKeys"]
  /** What is granted to the tenant; undefined where rows decide. */
  readonly chains: VerifiedChains | undefined
}

/** What is granted to the tenant of a transaction. Fails where its chains may not be gone by. */
const chainsOf = Effect.fnUntraced(function* (grants: VerifiedGrants, { network, tenantId }: SignTransaction) {
  const chains = yield* Effect.catchTag(
    grants.stateOf(tenantId),
    "GrantChainBroken",
    ({ message }) => new SigningRefused({ network, reason: message, retryAfterMs: chainRetryMs })
  )
  const reason = chainsObjection(chains)
  return reason === undefined ? chains : yield* new SigningRefused({ network, reason, retryAfterMs: chainRetryMs })
})

/** Why a tenant may sign nothing on a network: it is of another environment, by its grants or, where none says so, by its row. */
const foreignNetwork = (
  { chains, currencies }: Pick<Judging, "chains" | "currencies">,
  network: Network,
  { kind }: Pick<Tenant, "kind">
): string | undefined => {
  const granted = chains && grantedEnvironment(chains.tenant)
  const { environment } = currencies.networks.of(network)
  return (granted ?? kind) === environment
    ? undefined
    : `the tenant is ${granted === undefined ? kind : `${granted} by its grants`}, and ${network} is ${environment}`
}

/** Why grants do not allow payments to the tenant's own keys, or to others; undefined where they do, or where rows decide. */
const grantObjection = (
  { chains, networks }: Pick<Judging, "chains" | "networks">,
  network: Network,
  { own, payments }: Pick<OwnPayments, "own" | "payments">
): string | undefined => {
  if (chains === undefined) return undefined
  const parse = (text: string) => parseAddress(networks, network, text)
  const strange = ownPaymentObjection({ chains, network, parse, own, payments })
  return strange ?? (payments.every(({ to }) => own.has(to)) ? undefined : leavingObjection(chains, network))
}

/** Why the payments of a transaction may not be made; undefined where each is the tenant's own or asked for. */
const objection = Effect.fnUntraced(function* (
  { chains, currencies, derived, isOurs, networks, storedKeys, tenant }: Judging,
  { network, requests, tenantId, own: mine, signers }: SignTransaction,
  payments: ReadonlyArray<Payment>
) {
  if (tenant === undefined) return "there is no such tenant"
  const elsewhere = foreignNetwork({ chains, currencies }, network, tenant)
  if (elsewhere !== undefined) return elsewhere
  const own = yield* derived({ network, tenantId }, [...mine, ...signers])
  const ungranted = grantObjection({ chains, networks }, network, { own, payments })
  if (ungranted !== undefined) return ungranted
  const foreign = payments.filter(({ to }) => !own.has(to))
  if (foreign.length === 0) return undefined
  const signingKeys = chains === undefined ? storedKeys : grantedSigningKeys(chains.tenant)
  const reading: Reading = { tenant, signingKeys, currencies, isOurs, networks }
  const asked = yield* Effect.forEach(requests, (evidence) => askedFor(evidence, reading))
  const open = asked.filter(Result.isSuccess).map(({ success }) => success)
  for (const payment of foreign) {
    const at = open.findIndex((order) => isThat(network, payment, order))
    if (at < 0) {
      const why = asked.find(Result.isFailure)?.failure
      return `nobody asked to pay ${payment.units} of ${payment.contract ?? "the coin"} to ${payment.to}${why === undefined ? "" : ` (${why})`}`
    }
    open.splice(at, 1)
  }
  return undefined
})

/** Why what a transaction agrees to may not be agreed to: it is another's account, or no asset that is known. */
const disagreement = Effect.fnUntraced(function* (
  { currencies, derived }: Pick<Judging, "currencies" | "derived">,
  { network, own: mine, signers, tenantId }: SignTransaction,
  trustlines: ReadonlyArray<Trustline>
) {
  if (trustlines.length === 0) return undefined
  const own = yield* derived({ network, tenantId }, [...mine, ...signers])
  const strange = trustlines.find(({ account }) => !own.has(account))
  if (strange !== undefined) return `${strange.account} has no key of the tenant's own, and would agree to something`
  const unknown = trustlines.find(({ contract }) => currencies.byAsset(network, contract) === undefined)
  return unknown === undefined ? undefined : `${unknown.contract} is no asset known here`
})

/**
 * The signer of transactions over sealed storage.
 *
 * **Details**
 *
 * It derives the addresses of the tenant's own keys itself, verifies the partner's signature over each request with the public key
 * that operators have registered, and reads amount, asset, network, destination and memo from the signed body with the rules that
 * took the request. Each request counts for one payment of a transaction. A tenant is signed for on networks of its own environment
 * alone. The tenant's own accounts may agree to hold the assets of the currency table, and no others. Where grants decide, keys count that are granted, the tenant's own payments go to granted wallets,
 * and nothing leaves that a grant has stopped. It remembers nothing: asked twice for
 * one request, with other inputs or another sequence, it signs both. So `bursar sign` and whoever holds keys for real money puts it behind
 * `RememberingSigner` of `@bursar/signer`, whose store signs for a request once. Alone it serves tests and simulations, where nobody but the
 * service asks, which pays a request by one transaction.
 */
export const layer = (
  keys: MasterKeys,
  { currencies, feeCaps = {}, grants, publicAuthorities = [] }: SignerOptions
): Layer.Layer<TransactionSigner, never, KeyStore | Networks | Tenants> =>
  Layer.effect(
    TransactionSigner,
    Effect.gen(function* () {
      const sealed = sealedKeys(keys, yield* KeyStore, {
        custodies: yield* KeyCustodies,
        networks: currencies.networks
      })
      const [networks, tenants] = [yield* Networks, yield* Tenants]
      const { derive, derived } = makeOwnKeys(sealed, networks)
      const parts = { currencies, derived, isOurs: makeIsOurs(publicAuthorities), networks }

      /** What a transaction is judged by, read at the same moment. */
      const judgingOf = Effect.fnUntraced(function* (transaction: SignTransaction) {
        const { tenantId } = transaction
        const [tenant, chains, storedKeys] = yield* Effect.all(
          [
            tenants.byId(tenantId),
            grants === undefined ? Effect.undefined : chainsOf(grants, transaction),
            grants === undefined ? tenants.signingKeys(tenantId) : Effect.succeed([])
          ],
          { concurrency: "unbounded" }
        )
        return { ...parts, tenant, chains, storedKeys } satisfies Judging
      })

      return TransactionSigner.of({
        signed: () => Effect.succeed([]),
        sign: Effect.fn("TransactionSigner.sign")(function* (transaction) {
          const { network, signers, tenantId, unsigned } = transaction
          const refuse = (reason: string) => new SigningRefused({ network, reason })
          const format = networks.get(network)?.codec
          if (format === undefined) return yield* refuse("the network is off")
          const read = format.read(unsigned)
          if (Result.isFailure(read)) return yield* refuse(read.failure)
          const { trustlines = [], digests, feeMax, payments } = read.success
          const cap = feeCaps[network] ?? currencies.networks.of(network).limits.feeMax
          if (feeMax > cap) return yield* refuse(`it may cost ${feeMax}, and ${cap} is the most that is allowed`)
          const judging = yield* judgingOf(transaction)
          const objected =
            (yield* disagreement(judging, transaction, trustlines)) ??
            (yield* objection(judging, transaction, payments))
          if (objected !== undefined) return yield* refuse(objected)
          const keyed = yield* derived({ network, tenantId }, signers)
          const signatures = yield* Effect.forEach(
            digests,
            Effect.fnUntraced(function* ({ address, digest }) {
              const signer = keyed.get(address)
              if (signer === undefined) return yield* refuse(`there is no key of ${address}`)
              const { publicKey } = yield* derive(signer.key)
              return { publicKey, ...(yield* sealed.signDigest(signer.key, digest)) }
            })
          )
          const late = tooLate(transaction, yield* Clock.currentTimeMillis)
          if (late !== undefined) return yield* new SigningRefused({ network, reason: late, retryAfterMs: lateRetryMs })
          const finished = format.finish(unsigned, signatures)
          return Result.isSuccess(finished) ? finished.success : yield* refuse(finished.failure)
        })
      })
    })
  )
