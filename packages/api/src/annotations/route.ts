import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { ErrorCode } from "../errors/Catalogue.ts"
import type { Scope } from "../scopes/Scopes.ts"
import { AnyTextAt } from "./AnyTextAt.ts"
import { Built } from "./Built.ts"
import { ConditionalScope, type FieldScope } from "./ConditionalScope.ts"
import { NeedsIdempotencyKey } from "./NeedsIdempotencyKey.ts"
import { NeedsSignature } from "./NeedsSignature.ts"
import { Refuses } from "./Refuses.ts"
import { SignedByPolicy, type SignedProduct } from "./SignedProduct.ts"
import { RequiredScope } from "./RequiredScope.ts"

/** What is said of an endpoint beside its schemas. */
export interface Route {
  /** The scope it needs; null where any valid key will do. */
  readonly scope: Scope | null
  /** A few words naming the operation. */
  readonly summary: string
  /** What it does, in a sentence or two. */
  readonly description: string
  /** Whether it needs an idempotency key. */
  readonly idempotencyKey?: boolean
  /** Whether its requests must be signed. */
  readonly signed?: boolean
  /** Whether a tenant's policy may demand that its requests are signed, and as what. */
  readonly signedByPolicy?: SignedProduct
  /** Whether the server serves it already. */
  readonly built?: boolean
  /** The codes it may answer beyond the common ones. */
  readonly refuses?: ReadonlyArray<ErrorCode>
  /** A scope needed depending on the body. */
  readonly conditionalScope?: FieldScope
  /** Where in the body a text may hold a NUL. */
  readonly anyTextAt?: RegExp
}

/** The annotations of an endpoint, for `annotateMerge`. */
export const route = (options: Route): Context.Context<never> =>
  OpenApi.annotations({ summary: options.summary, description: options.description }).pipe(
    Context.add(RequiredScope, options.scope),
    Context.add(NeedsIdempotencyKey, options.idempotencyKey ?? false),
    Context.add(NeedsSignature, options.signed ?? false),
    Context.add(SignedByPolicy, options.signedByPolicy ?? null),
    Context.add(Built, options.built ?? false),
    Context.add(Refuses, options.refuses ?? []),
    Context.add(ConditionalScope, options.conditionalScope ?? null),
    Context.add(AnyTextAt, options.anyTextAt ?? null)
  )
