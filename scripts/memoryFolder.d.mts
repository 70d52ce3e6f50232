/** Lets this process and those that it starts keep temporary files in memory, where the machine has plenty of it. */
export declare const useMemoryFolder: () => void
