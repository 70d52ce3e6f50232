/** A layer of what a batch has written over what was loaded. What was not declared cannot be read. */
export class Overlay<K, V> {
  private readonly written = new Map<K, V>()
  private readonly declared: { has(key: K): boolean }
  private readonly loaded: ReadonlyMap<K, V>
  private readonly what: string
  constructor(what: string, declared: { has(key: K): boolean }, loaded: ReadonlyMap<K, V>) {
    this.what = what
    this.declared = declared
    this.loaded = loaded
  }
  get(key: K): V | undefined {
    const written = this.written.get(key)
    if (written !== undefined) return written
    if (!this.declared.has(key))
      throw new Error(`the command did not declare that it reads ${this.what} ${String(key)}`)
    return this.loaded.get(key)
  }
  /** What is known of a key that a command may not have declared: enough to write over it. */
  peek(key: K): V | undefined {
    return this.written.get(key) ?? this.loaded.get(key)
  }
  set(key: K, value: V): void {
    this.written.set(key, value)
  }
  values(): ReadonlyArray<V> {
    return [...this.written.values()]
  }
}
