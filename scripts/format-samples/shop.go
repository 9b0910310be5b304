// SPDX-License-Identifier: MIT
// A shop: the till sells, clerks wait for orders.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

var (
	sold int
	kept [][]byte
	door = make(chan int)
)

//go:noinline
func pay(order int) {
	for i := 0; i < 200000; i++ {
		sold += order ^ i
	}
}

//go:noinline
func ship(order int) {
	kept = append(kept, make([]byte, 4096))
	pay(order)
}

//go:noinline
func waitForOrders() {
	<-door
}

func write(profile string, debug int) {
	file, _ := os.Create(profile + ".out")
	pprof.Lookup(profile).WriteTo(file, debug)
	file.Close()
}

func main() {
	runtime.MemProfileRate = 65536
	cpu, _ := os.Create("cpu.out")
	pprof.StartCPUProfile(cpu)
	for order := 0; order < 3000; order++ {
		ship(order)
	}
	pprof.StopCPUProfile()
	for i := 0; i < 3; i++ {
		go waitForOrders()
	}
	time.Sleep(100 * time.Millisecond)
	write("goroutine", 1)
	write("heap", 1)
	panic("the shop is closed")
}
