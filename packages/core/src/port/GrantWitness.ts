import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { VaultError } from "./Vault.ts"

/** A destination as the chain of its tenant grants it. */
export interface SeenDestination {
  readonly tenantId: TenantId
  readonly id: string
  /** The hash of its grant. */
  readonly hash: string
}

/** Who has seen chains of grants grow, and remembers when, where whoever writes to the database does not come. */
export class GrantWitness extends Context.Service<
  GrantWitness,
  {
    /** From when on a destination receives (`receivesFrom`), counted from when its grant was first seen. Fails where the witness has not seen it. */
    readonly receivesFrom: (destination: SeenDestination) => Effect.Effect<Timestamp, VaultError>
  }
>()("@bursar/core/port/GrantWitness") {}
