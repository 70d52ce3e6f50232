import type { Backfill, DepositAddress } from "../address/DepositAddress.ts"
import type { KeyHolder, KeyName } from "../address/KeyClaim.ts"
import type { ImportedKey, SealedKey } from "../address/ImportedKey.ts"
import type { IssuingAccount } from "../address/IssuingAccount.ts"
import type { Xpub } from "../address/Xpub.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { Event } from "../event/Event.ts"
import type { WebhookEndpoint } from "../event/WebhookEndpoint.ts"
import type { IdempotencyRecord } from "../idempotency/IdempotencyRecord.ts"
import type { Leg } from "../ledger/Leg.ts"
import type { Network } from "../money/Network.ts"
import type { Operation } from "../operation/Operation.ts"
import type { SignatureNonce } from "../signature/SignatureNonce.ts"
import type { SigningKey } from "../signature/SigningKey.ts"
import type { ApiKey } from "../tenant/ApiKey.ts"
import type { Tenant } from "../tenant/Tenant.ts"
import type { Scheduled } from "./Job.ts"
import type { RecordPut } from "./Records.ts"

/** A fact that a decider adds. Puts replace the record of the same id. The union is closed: storage writes each kind as a set. */
export type Change =
  | { readonly _tag: "OperationPut"; readonly operation: Operation }
  | {
      readonly _tag: "Posted"
      readonly operationId: string
      readonly legs: ReadonlyArray<Leg>
      /** Set only where value that was credited turned out not to be there: a deposit that was reorged away, an ON_RAMP that was returned. */
      readonly mayOverdraw?: true
      /** It has happened outside already: what a place does not have of it is booked against `suspense:<place>` (`coverShortfall`). */
      readonly happened?: true
    }
  | { readonly _tag: "DepositPut"; readonly deposit: Deposit }
  | { readonly _tag: "AddressPut"; readonly address: DepositAddress }
  /** Claims (network, address) for this tenant among all tenants. */
  | {
      readonly _tag: "AddressClaimed"
      readonly network: Network
      readonly address: string
      readonly addressId: string
      /** It is the address of a wallet of the service, whose id `addressId` is. */
      readonly wallet?: true
    }
  /** Claims keys for this tenant among all tenants, under whichever networks their addresses stand. */
  | {
      readonly _tag: "KeysClaimed"
      readonly keys: ReadonlyArray<KeyName>
      readonly holder: KeyHolder
      /** What needs them: the id of an address, a wallet, an extended public key or a seed. */
      readonly by: string
    }
  /** Gives (network, address) free again, and with it what the address has claimed of keys that the tenant holds. */
  | { readonly _tag: "AddressFreed"; readonly network: Network; readonly address: string; readonly addressId: string }
  | { readonly _tag: "XpubPut"; readonly xpub: Xpub }
  | { readonly _tag: "IssuingAccountPut"; readonly account: IssuingAccount }
  | { readonly _tag: "KeyImported"; readonly key: ImportedKey; readonly sealed: SealedKey }
  | { readonly _tag: "BackfillQueued"; readonly backfill: Backfill }
  | { readonly _tag: "EventEmitted"; readonly event: Event }
  | { readonly _tag: "IdempotencyRecorded"; readonly idempotencyRecord: IdempotencyRecord }
  | { readonly _tag: "ApiKeyPut"; readonly apiKey: ApiKey }
  | { readonly _tag: "SigningKeyPut"; readonly signingKey: SigningKey }
  /** A nonce is used once: it is never put again. */
  | { readonly _tag: "NonceUsed"; readonly nonce: SignatureNonce }
  | { readonly _tag: "EndpointPut"; readonly endpoint: WebhookEndpoint }
  | { readonly _tag: "TenantPut"; readonly tenant: Tenant }
  | RecordPut
  | Scheduled
