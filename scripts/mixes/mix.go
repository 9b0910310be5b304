// SPDX-License-Identifier: MIT
// Keeps ten parts of Go's runtime and library at work for the seconds of the second argument, and writes its profile to the file of the first.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

type order struct {
	Customer string
	Lines    []string
	Total    float64
}

func orders() []order {
	made := make([]order, 200)
	for i := range made {
		made[i] = order{"customer" + strconv.Itoa(i*7919%200), strings.Fields("one two three four five"), float64(i) * 1.5}
	}
	return made
}

func countWords(text string) int {
	words := map[string]int{}
	for _, word := range strings.Fields(text) {
		words[word]++
	}
	return len(words)
}

func primes(below int) int {
	found := 0
	for n := 2; n < below; n++ {
		prime := true
		for d := 2; d*d <= n && prime; d++ {
			prime = n%d != 0
		}
		if prime {
			found++
		}
	}
	return found
}

// hand sends numbers through a channel under a lock.
func hand(numbers int) int {
	channel, sum := make(chan int), 0
	var lock sync.Mutex
	for sender := 0; sender < 2; sender++ {
		go func() {
			for i := 0; i < numbers; i++ {
				lock.Lock()
				lock.Unlock()
				channel <- i
			}
		}()
	}
	for i := 0; i < 2*numbers; i++ {
		sum += <-channel
	}
	return sum
}

func work(file *os.File, pattern *regexp.Regexp) int {
	made := orders()
	text, _ := json.Marshal(made)
	var read []order
	_ = json.Unmarshal(text, &read)
	sort.Slice(read, func(a, b int) bool { return read[a].Customer < read[b].Customer })
	sum := sha256.Sum256(text)
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(text)
	_ = zip.Close()
	_, _ = file.WriteAt([]byte(fmt.Sprintf("%x %v %d\n", sum, made[3], packed.Len())), 0)
	return len(pattern.FindAllString(string(text[:4000]), -1)) + countWords(string(text)) + primes(3000) + hand(300)
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[2], 64)
	profile, err := os.Create(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	scratch, err := os.CreateTemp("", "mix")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	defer os.Remove(scratch.Name())
	pattern := regexp.MustCompile(`customer[0-9]*[13579]"`)
	_ = pprof.StartCPUProfile(profile)
	for end := time.Now().Add(time.Duration(seconds * 1e9)); time.Now().Before(end); {
		work(scratch, pattern)
	}
	pprof.StopCPUProfile()
	_ = profile.Close()
}
