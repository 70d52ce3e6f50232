import { receivesFrom } from "@bursar/core/grant/cooling"
import { granted, mustAdopt } from "@bursar/core/grant/GrantState"
import { GrantWitness } from "@bursar/core/port/GrantWitness"
import { VaultError } from "@bursar/core/port/Vault"
import { Effect } from "effect"
import type { KeptGrants } from "./KeptGrants.ts"
import type { SignerStore } from "./store/SignerStore.ts"

/** What has to be known to say since when a grant is. */
export interface GrantWitnessOptions {
  readonly grants: Pick<KeptGrants, "stateOf">
  readonly store: Pick<SignerStore, "register">
}

const unseen = (reason: string) => new VaultError({ doing: "say since when a destination is granted", reason })

/** Says from when on destinations receive by when the signer first saw their grants: from its own store, by its own clock. */
export const makeGrantWitness = ({ grants, store: { register } }: GrantWitnessOptions): GrantWitness["Service"] =>
  GrantWitness.of({
    receivesFrom: Effect.fn("GrantWitness.receivesFrom")(function* ({ hash, id, tenantId }) {
      const { fleet, tenant } = yield* Effect.mapError(grants.stateOf(tenantId), ({ message }) => unseen(message))
      // what nobody confirmed is not remembered
      if (mustAdopt(fleet, tenant)) return yield* unseen("the approvers have become stricter since they confirmed it")
      const found = granted(tenant, "destination", id)
      return found?.hash === hash
        ? receivesFrom(tenant, found, (grant) => register.grantSeenAt(grant.hash))
        : yield* unseen("its chain has no such grant")
    })
  })
