/** Lends bytes to `use` and overwrites them when it is done, however it ends. What `use` gives must not lie in them. */
export const wiping = <B extends Uint8Array, A>(bytes: B, use: (bytes: B) => A): A => {
  try {
    return use(bytes)
  } finally {
    bytes.fill(0)
  }
}
