# A disk that takes a millisecond for each request, for a machine that has no other.
ssdqos-profile 1
window_ms 100 500 1000
cost read rand 4096 1 990 1000000 1000000 1000000
cost read seq 4096 1 990 1000000 1000000 1000000
cost write rand 4096 1 990 1000000 1000000 1000000
cost write seq 4096 1 990 1000000 1000000 1000000
