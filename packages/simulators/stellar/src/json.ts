/** What answers are made of. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

/** An object of JSON. A field that is undefined is left out. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}
