import type { VerifiedChains } from "@bursar/core/grant/Grants"
import type { GrantKind, GrantValues } from "@bursar/core/grant/GrantDocument"
import type { KeptGrants } from "@bursar/signer/KeptGrants"
import type { Register } from "@bursar/signer/store/Register"
import { Effect, HashMap, Option } from "effect"
import type { Plant } from "../world/Plant.ts"

type Tenant = VerifiedChains["tenant"]

/** What a signer takes the grants to say: something else than they do. */
const believing = (change: (chains: VerifiedChains) => VerifiedChains): Plant => ({
  grants: (real): KeptGrants => ({
    ...real,
    stateOf: (tenantId) => Effect.map(real.stateOf(tenantId), change),
    lastSeen: (tenantId) => real.lastSeen(tenantId)
  })
})

/** The chain without its grants of a kind, or with others in their place. */
const saying = <S extends Tenant | VerifiedChains["fleet"], K extends GrantKind>(
  state: S,
  kind: K,
  say: (values: GrantValues<K>) => GrantValues<K>
): S => {
  const found = Option.getOrElse(HashMap.get(state.grants, kind), () => HashMap.empty<string, never>())
  // under a kind stand grants of that kind alone
  const changed = HashMap.map(found, (one) => ({ ...one, values: say(one.values as GrantValues<K>) }))
  return { ...state, grants: HashMap.set(state.grants, kind, changed) }
}

const forgetting = (change: (register: Register) => Partial<Register>): Plant => ({
  store: (store) => ({ ...store, register: { ...store.register, ...change(store.register) } })
})

/** Mistakes of a signer of its own: with what is granted, with what it remembers, and with its disk. */
export const trustMistakes = {
  "revoked key still counts": believing((chains) => ({
    ...chains,
    tenant: saying(chains.tenant, "signing_key", (values) => ({ ...values, state: "ACTIVE" }))
  })),
  "suspension not looked at by the signer": believing((chains) => ({
    ...chains,
    tenant: saying(chains.tenant, "suspension", (values) => ({ ...values, suspended: false }))
  })),
  "stop of the network not looked at by the signer": believing((chains) => ({
    ...chains,
    fleet: saying(chains.fleet, "network", (values) => ({ ...values, stopped: false }))
  })),
  "granted limit not looked at": {
    grants: (real) => ({
      ...real,
      lastSeen: (tenantId) => {
        const seen = real.lastSeen(tenantId)
        return seen && { ...seen, grants: HashMap.remove(seen.grants, "currency_limit") }
      }
    })
  },
  "request signed for twice": forgetting((register) => ({
    judge: (candidate, now) => {
      const verdict = register.judge(candidate, now)
      return verdict._tag === "Refused" || verdict._tag === "Unproven"
        ? { _tag: "Free", fresh: candidate.requests.map(({ key }) => key) }
        : verdict
    }
  })),
  "old request still counts": forgetting(() => ({ mayTakeEffect: () => true })),
  "any word of outputs taken": forgetting((register) => ({
    judge: (candidate, now) => register.judge({ ...candidate, twin: undefined }, now)
  })),
  "waiting time counted by the document": forgetting(() => ({ grantSeenAt: () => undefined })),
  "shorter waiting time counted at once": believing((chains) => ({
    ...chains,
    tenant: { ...chains.tenant, cooling: chains.tenant.cooling.filter(({ says }) => says !== "shorter_wait") }
  })),
  "answered before it is on the disk": {
    disk: (disk) => ({
      ...disk,
      open: Effect.map(disk.open, (file) => ({ ...file, datasync: Effect.void }))
    })
  }
} as const satisfies Readonly<Record<string, Plant>>
