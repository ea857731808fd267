# x25e-like of 512 MiB, aged: what reads take on average with so many at a time
ssdqos-profile 1
window_ms 100 1000
cost read rand 4096 1 990 155900 155900
cost read rand 4096 2 990 79300 79300
cost read rand 4096 4 990 42400 42400
cost read rand 4096 8 990 28600 28600
cost read rand 4096 32 990 28600 28600
cost read rand 65536 1 990 660000 660000
cost read rand 65536 2 990 346000 346000
cost read rand 65536 4 990 261000 261000
cost read rand 65536 32 990 261000 261000
cost write rand 4096 32 990 400000 300000
mix 0 1000
mix 100 1000
