export function bundle(): string;
