import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { Built } from "../annotations/Built.ts"
import { Endless } from "../annotations/Endless.ts"
import { ConditionalScope, type FieldScope } from "../annotations/ConditionalScope.ts"
import { NeedsIdempotencyKey } from "../annotations/NeedsIdempotencyKey.ts"
import { NeedsSignature } from "../annotations/NeedsSignature.ts"
import { SignedByPolicy, type SignedProduct } from "../annotations/SignedProduct.ts"
import { Refuses } from "../annotations/Refuses.ts"
import { type Consent, ConsentNeeded } from "../operator/Consent.ts"
import { RequiredRole, roleNeeded } from "../operator/RequiredRole.ts"
import { RequiredScope } from "../annotations/RequiredScope.ts"
import { type EndpointRoute, routeOf } from "../annotations/routeOf.ts"
import type { ErrorCode } from "../errors/Catalogue.ts"
import type { OperatorRole } from "../operator/Operator.ts"
import type { Scope } from "../scopes/Scopes.ts"

/** What the annotations say of one operation of an interface. */
export interface Operation extends EndpointRoute {
  /** How a client calls it: by its group and the name that it has there. */
  readonly group: string
  readonly endpoint: string
  readonly scope: Scope | null
  /** Of the operator interface: the least role. */
  readonly role: OperatorRole
  /** Of the operator interface: who has to agree. */
  readonly consent: Consent
  readonly conditionalScope: FieldScope | null
  readonly needsIdempotencyKey: boolean
  readonly needsSignature: boolean
  /** What a tenant's policy may demand a signature for. */
  readonly signedByPolicy: SignedProduct | null
  readonly built: boolean
  /** Its answer goes on until somebody ends it. */
  readonly endless: boolean
  readonly hasBody: boolean
  readonly refuses: ReadonlyArray<ErrorCode>
}

/** Every operation of an interface, in the order declared. */
export const operationsOf = (api: HttpApi.Constraint): ReadonlyArray<Operation> => {
  const operations: Array<Operation> = []
  // `reflect` is typed for concrete groups and reads nothing beyond what every group has.
  HttpApi.reflect(api as HttpApi.Top, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      operations.push({
        ...routeOf(endpoint),
        group: group.identifier,
        endpoint: endpoint.identifier,
        scope: Context.get(mergedAnnotations, RequiredScope),
        role: roleNeeded(endpoint.method, Context.get(mergedAnnotations, RequiredRole)),
        consent: Context.get(mergedAnnotations, ConsentNeeded),
        conditionalScope: Context.get(mergedAnnotations, ConditionalScope),
        needsIdempotencyKey: Context.get(mergedAnnotations, NeedsIdempotencyKey),
        needsSignature: Context.get(mergedAnnotations, NeedsSignature),
        signedByPolicy: Context.get(mergedAnnotations, SignedByPolicy),
        built: Context.get(mergedAnnotations, Built),
        endless: Context.get(mergedAnnotations, Endless),
        hasBody: endpoint.method !== "GET" && endpoint.payload.size > 0,
        refuses: Context.get(mergedAnnotations, Refuses)
      })
    }
  })
  return operations
}
