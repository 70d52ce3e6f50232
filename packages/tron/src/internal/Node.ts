import type { TronHttp } from "./TronHttp.ts"

/** A node, with what it has said it does not have, so that it is not asked again for every block. */
export interface Node {
  readonly http: TronHttp
  readonly missing: Set<string>
}
