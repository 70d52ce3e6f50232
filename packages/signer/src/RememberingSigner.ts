import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { ReplayGuard, TransactionContent } from "@bursar/core/port/ChainSender"
import { Networks } from "@bursar/core/port/Networks"
import { SigningView, type TenantProgress } from "@bursar/core/port/SigningView"
import {
  type EarlierSignature,
  type SignaturesOf,
  SigningRefused,
  type SignTransaction,
  tooLate,
  TransactionSigner
} from "@bursar/core/port/TransactionSigner"
import { VaultError } from "@bursar/core/port/Vault"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Layer, Result } from "effect"
import { askedOf, sha256, spentOf } from "./askedOf.ts"
import { countRefused, countSigned } from "./metrics.ts"
import { ownObjection, topUpsIn } from "./ownObjection.ts"
import { ageObjection, requestAgeMaxDefaultMs } from "./requestAge.ts"
import { rolledBackReason, stopFor } from "./rollback.ts"
import {
  limitObjection,
  ownFeesObjection,
  ownFeesPerDayDefault,
  type SignerLimit,
  type SignerObjection,
  topUpObjection,
  topUpsPerDayDefault
} from "./SignerLimits.ts"
import type { Signed } from "./store/Entry.ts"
import { sharedWith } from "./sharedWith.ts"
import { sameNames } from "./store/names.ts"
import { type Candidate, type Remembered, tenantBehind } from "./store/Register.ts"
import type { SignerStore } from "./store/SignerStore.ts"
import { twinOf } from "./store/twinOf.ts"
import { usesOf } from "./store/usesOf.ts"
import { isBehind } from "./whatIsLost.ts"
import type { StoreUnusable } from "./store/StoreUnusable.ts"

/** What a signer with a memory goes by. */
export interface RememberingSignerOptions {
  readonly currencies: CurrencyTable
  readonly store: SignerStore
  /** Whether this is the only signer of the service now; nothing is signed while it is not. Always where absent. */
  readonly isAlone?: () => boolean
  /** None where absent. */
  readonly limits?: ReadonlyArray<SignerLimit>
  /**
   * The limits that are granted to a tenant, as of the transaction that was just verified; undefined where they were forgotten since, and then
   * nothing is signed. None where absent.
   */
  readonly grantedLimits?: (tenantId: TenantId) => ReadonlyArray<SignerLimit> | undefined
  /** For how long after its `created` a request may be signed for a first time. Default 7 days. */
  readonly requestAgeMaxMs?: number
  /** How many addresses of a tenant are given coin for fees on a network within a day. Default 1,000. */
  readonly topUpsPerDay?: number
  /** How much a tenant's transactions that pay nobody else cost on a network within a day, in caps on the fees of one. Default 100. */
  readonly ownFeesPerDay?: number
  /** Networks with a node of the signer's own, which it asks what became of a transaction that has expired. None where absent. */
  readonly proving?: ReadonlyArray<string>
}

const minutes = (count: number): number => count * 60_000

const signedMeanwhile: SignerObjection = {
  reason: "a request of it was signed for meanwhile",
  retryAfterMs: minutes(1)
}

/** When to ask again for what could not be signed in time. */
const lateRetryMs = 10_000

/** For how long the signer's own node may think: half of the time that a request has, so that who asks is told of the node. */
const proofPatience = "10 seconds"

/** It is told by `rolledBackReason`, which has what showed it. */
const rolledBackMeanwhile: SignerObjection = { reason: "the database was rolled back" }

const limitsForgotten: SignerObjection = {
  reason: "what is granted to the tenant was forgotten while it was signed, for so many others were looked at",
  retryAfterMs: lateRetryMs
}

const turnLost =
  "another signer may be signing for the same database: the lock that excludes it is lost, and tried for again"

/** How long after its end a transaction may still be in the newest block. */
const expiryMarginMs = 60_000

const unusable = ({ reason }: StoreUnusable): VaultError => new VaultError({ doing: "sign", reason })

/** A transaction that was read, with the requests that it is to answer to. */
interface Understood {
  readonly transaction: SignTransaction
  readonly content: TransactionContent
  readonly candidate: Candidate
  /** What it pays to others. */
  readonly foreign: TransactionContent["payments"]
  /** How many of the tenant's own addresses it gives coin for fees. */
  readonly topUps: number
}

/**
 * A signer with a memory of its own, around one that verifies what it is asked.
 *
 * **Details**
 *
 * Each request of a partner is signed for once: a second transaction for it must use up what every earlier one does, so that one of them
 * takes effect at most. Where the earlier ones have expired, the chain has to prove first that none of them was included. The very same
 * bytes get the same answer, and a transaction is signed by one word of what its outputs hold (`twinOf`). What it has signed is on the disk before the answer. The counters of a tenant never go back: where the
 * database shows lower ones than before it was rolled back, and nothing is signed any more, for no tenant, until a person has said that it was restored (`takeRestored`).
 *
 * Tenant's own keys are paid as `ownObjection` says, and others within the limits, which it counts by itself. A request is signed for
 * the first time within its age (`ageObjection`).
 */
export const layer = ({
  currencies,
  grantedLimits = () => [],
  isAlone = () => true,
  limits = [],
  ownFeesPerDay = ownFeesPerDayDefault,
  proving = [],
  requestAgeMaxMs = requestAgeMaxDefaultMs,
  store,
  topUpsPerDay = topUpsPerDayDefault
}: RememberingSignerOptions): Layer.Layer<TransactionSigner, never, Networks | SigningView | TransactionSigner> =>
  Layer.effect(
    TransactionSigner,
    Effect.gen(function* () {
      const [inner, networks, view] = [yield* TransactionSigner, yield* Networks, yield* SigningView]
      const { register } = store

      const refuse = (network: string, { reason, retryAfterMs }: SignerObjection) =>
        new SigningRefused({ network, reason, ...(retryAfterMs !== undefined && { retryAfterMs }) })

      const notRolledBack = Effect.suspend(() => {
        const behind = register.rolledBack()
        return behind === undefined
          ? Effect.void
          : Effect.fail(new VaultError({ doing: "sign", reason: rolledBackReason(behind.what) }))
      })

      const alone = Effect.suspend(() =>
        isAlone() ? Effect.void : Effect.fail(new VaultError({ doing: "sign", reason: turnLost }))
      )

      /** Fails where the database is behind what was seen of it. Counters that were seen after the reading began prove nothing. */
      const progressOf = Effect.fnUntraced(function* ({ network, tenantId }: SignTransaction) {
        const seen = register.progressOf(tenantId)
        const now = yield* view.progress(tenantId)
        // whoever asks may name a tenant that never was: that must not stop the others
        if (now === undefined && seen === undefined)
          return yield* refuse(network, { reason: "there is no such tenant" })
        if (now === undefined || (seen !== undefined && isBehind(now, seen))) {
          yield* Effect.mapError(stopFor(store, { tenantId }), unusable)
          return yield* new VaultError({ doing: "sign", reason: rolledBackReason(tenantBehind(tenantId)) })
        }
        register.see(tenantId, now)
        return now
      })

      const understand = Effect.fnUntraced(function* (transaction: SignTransaction) {
        const { network, own, requests, signers, tenantId, unsigned } = transaction
        const codec = networks.get(network)?.codec
        if (codec === undefined)
          return yield* refuse(network, { reason: "the network is off", retryAfterMs: minutes(10) })
        const content = yield* Effect.mapError(Effect.fromResult(codec.read(unsigned)), (reason) =>
          refuse(network, { reason })
        )
        const keyed = [...own, ...signers]
        const traits = currencies.networks.of(network)
        const objection = ownObjection({ network, traits }, content.payments, keyed)
        if (objection !== undefined) return yield* refuse(network, { reason: objection })
        const foreign = content.payments.filter(({ to }) => !keyed.some(({ address }) => address === to))
        const asked = requests
          .map((request) => askedOf(tenantId, request.signatureBase))
          .filter((one) => one !== undefined)
        if (asked.length !== requests.length || foreign.length !== requests.length)
          return yield* refuse(network, {
            reason: `it pays ${foreign.length} others, and comes with ${asked.length} signed requests`
          })
        const candidate: Candidate = {
          network,
          unsigned: sha256(unsigned),
          twin: twinOf(content),
          uses: usesOf(content.guard),
          requests: asked,
          ...(transaction.known && { known: transaction.known })
        }
        return {
          transaction,
          content,
          candidate,
          foreign,
          topUps: topUpsIn(content.payments, keyed)
        } satisfies Understood
      })

      /** Asks the chain, by a node of the signer's own, whether an expired transaction can still take effect; remembers that it cannot. */
      const prove = Effect.fnUntraced(function* (remembered: Remembered) {
        const { hash, network, validUntil } = remembered
        const now = yield* Clock.currentTimeMillis
        if (validUntil === null || now < validUntil + expiryMarginMs)
          return yield* refuse(network, {
            reason: `a request of it was signed for in ${hash}, which has not expired`,
            ...(validUntil !== null && { retryAfterMs: validUntil + expiryMarginMs - now })
          })
        const sender = proving.includes(network) ? networks.get(network)?.sender : undefined
        if (sender === undefined)
          return yield* refuse(network, {
            reason: `a request of it was signed for in ${hash}, which has expired: give the signer a node of ${network} to prove that it was not included, or cancel the payout`
          })
        const { from, raw, uses } = yield* Effect.mapError(store.recall(remembered), unusable)
        const [name] = uses
        const guard: ReplayGuard =
          name === undefined
            ? { _tag: "Expiry" }
            : {
                _tag: "Sequence",
                account: name.slice(0, name.lastIndexOf(":")),
                sequence: BigInt(name.slice(name.lastIndexOf(":") + 1))
              }
        const unknown = (reason: string) =>
          new VaultError({ doing: "sign", reason: `it is not known what became of ${hash}: ${reason}` })
        const status = yield* sender.status({ from, guard }, [{ hash, raw, validUntil }]).pipe(
          Effect.mapError(({ message }) => unknown(message)),
          // others of the network wait for their turn meanwhile
          Effect.timeoutOrElse({
            duration: proofPatience,
            orElse: () => Effect.fail(unknown(`the signer's node of ${network} does not answer`))
          })
        )
        if (status._tag !== "Invalidated")
          return yield* refuse(network, {
            reason: `a request of it was signed for in ${hash}, which may still take effect`,
            retryAfterMs: minutes(10)
          })
        yield* Effect.mapError(store.commit({ _tag: "Voided", at: now, network, hash }), unusable)
        return undefined
      })

      const signFree = Effect.fnUntraced(function* (
        { candidate, content, foreign, topUps, transaction }: Understood,
        fresh: ReadonlyArray<string>,
        progress: TenantProgress
      ) {
        const { network, tenantId } = transaction
        const at = yield* Clock.currentTimeMillis
        // what replaces a transaction pays nothing new; where only some are new, all of it counts
        const paid = fresh.length === 0 ? [] : foreign.map(({ contract, units }) => ({ contract, units }))
        const spending = { tenantId, network, uses: candidate.uses, now: at }
        const keys = candidate.requests.map(({ key }) => key)
        const ownFees = foreign.length > 0 ? undefined : { ...spending, feeMax: content.feeMax }
        const ownFeesMax = BigInt(ownFeesPerDay) * currencies.networks.of(network).limits.feeMax
        const tooOld = (): SignerObjection | undefined => {
          const reason = ageObjection(register, candidate.requests, { now: at, ageMaxMs: requestAgeMaxMs })
          return reason === undefined ? undefined : { reason }
        }
        const objection = (within: ReadonlyArray<SignerLimit>): SignerObjection | undefined =>
          tooOld() ??
          limitObjection(within, register, { ...spending, payments: paid, keys }) ??
          topUpObjection(topUpsPerDay, register, { ...spending, count: topUps }) ??
          (ownFees && ownFeesObjection(ownFeesMax, register, ownFees))
        // what is granted is read anew with each transaction that is verified, so it is looked at after that
        const early = objection(limits)
        if (early !== undefined) return yield* refuse(network, early)
        const { hash, raw } = yield* inner.sign(transaction)
        // it is verified each time, and written once: no limit counts the very same again
        const same = candidate.requests.length === 0 ? register.signedForNone(candidate) : undefined
        if (same !== undefined) return yield* Effect.mapError(store.recall(same), unusable)
        // others may have been signed meanwhile
        const again = register.judge(candidate, at)
        if (again._tag === "Answered") return yield* Effect.mapError(store.recall(again.by), unusable)
        const clock = yield* Clock.Clock
        const late = (): SignerObjection | undefined => {
          // somebody else may have noticed it while the key was asked
          if (register.rolledBack() !== undefined) return rolledBackMeanwhile
          const now = register.judge(candidate, at)
          // what another had proven void meanwhile was taken back: then this one counts, though it did not before
          if (now._tag !== "Free" || !sameNames(now.fresh, fresh)) return signedMeanwhile
          const over = tooLate(transaction, clock.currentTimeMillisUnsafe())
          if (over !== undefined) return { reason: over, retryAfterMs: lateRetryMs }
          const granted = grantedLimits(tenantId)
          return granted === undefined ? limitsForgotten : objection([...limits, ...granted])
        }
        const signed: Signed = {
          _tag: "Signed",
          at,
          tenantId,
          network,
          requests: candidate.requests.map(spentOf),
          uses: candidate.uses,
          unsigned: candidate.unsigned,
          ...(candidate.twin !== undefined && { twin: candidate.twin }),
          hash,
          raw,
          validUntil: content.validUntil,
          feeMax: content.feeMax,
          from: content.digests[0]?.address ?? "",
          paid,
          ...(topUps > 0 && { topUps }),
          progress
        }
        yield* alone
        const objected = yield* Effect.mapError(store.commitUnless(late, signed), unusable)
        if (objected !== undefined) {
          yield* notRolledBack
          // another may have asked for the very same at the same moment: both get the answer of one
          const meanwhile = register.judge(candidate, at)
          return meanwhile._tag === "Answered"
            ? yield* Effect.mapError(store.recall(meanwhile.by), unusable)
            : yield* refuse(network, objected)
        }
        yield* countSigned(network)
        return { hash, raw }
      })

      const judged = Effect.fnUntraced(function* (transaction: SignTransaction) {
        yield* notRolledBack
        yield* alone
        const { network } = transaction
        const understood = yield* understand(transaction)
        const progress = yield* progressOf(transaction)
        const judge = Effect.map(Clock.currentTimeMillis, (now) => register.judge(understood.candidate, now))
        let verdict = yield* judge
        if (verdict._tag === "Unproven") {
          yield* Effect.forEach(verdict.earlier, prove, { discard: true })
          verdict = yield* judge
        }
        switch (verdict._tag) {
          case "Free":
            return yield* signFree(understood, verdict.fresh, progress)
          case "Answered":
            return yield* Effect.mapError(store.recall(verdict.by), unusable)
          case "Unproven":
            return yield* refuse(network, signedMeanwhile)
          case "Refused":
            return yield* refuse(network, { reason: verdict.reason })
        }
      })

      const signed = Effect.fn("RememberingSigner.signed")(function* (of: SignaturesOf) {
        const { guard, network, requests, tenantId } = of
        const codec = networks.get(network)?.codec
        const uses = usesOf(guard)
        const keys = requests.flatMap(({ signatureBase }) => askedOf(tenantId, signatureBase)?.key ?? [])
        const all = yield* Effect.forEach(register.earlier({ tenantId, network, uses, keys }), (remembered) =>
          Effect.mapBoth(store.recall(remembered), {
            onFailure: unusable,
            onSuccess: ({ feeMax = null, hash, raw, validUntil }): EarlierSignature => {
              const shares = sharedWith({ uses, keys }, remembered)
              const read = codec && Result.getOrUndefined(codec.readSigned(raw))
              const moves = read && { payments: read.payments, trustlines: read.trustlines ?? [] }
              return { hash, raw, validUntil, feeMax, ...(moves && { moves }), ...shares }
            }
          })
        )
        // what another has signed is not among it, and what nobody has signed may be failed
        yield* alone
        return all
      })

      return TransactionSigner.of({
        signed,
        sign: Effect.fn("RememberingSigner.sign")(function* (transaction) {
          const { network, tenantId } = transaction
          return yield* judged(transaction).pipe(
            // the disk may have been slow, and another have the turn by now
            Effect.tap(() => alone),
            Effect.map(({ hash, raw }) => ({ hash, raw })),
            Effect.tapErrorTag("SigningRefused", ({ reason }) =>
              Effect.andThen(
                countRefused(network),
                Effect.annotateLogs(Effect.logError("signing.refused"), { tenant: tenantId, network, reason })
              )
            )
          )
        })
      })
    })
  )
